import type { FastifyReply } from 'fastify';
import { LINK, NEXT_CURSOR } from './response-headers.js';

/** Links to the service itself: absolute where the public address is known, else path-absolute. */
export class Links {
  private readonly base: string;

  constructor(publicBaseUrl: string | undefined) {
    this.base = publicBaseUrl ?? '/v1';
  }

  /** Path and query below the version, as in `/pets/7`. */
  to(pathAndQuery: string): string {
    return `${this.base}${pathAndQuery}`;
  }

  get docs(): string {
    return `${this.base.slice(0, -'/v1'.length)}/docs`;
  }

  /** The path of the documentation as callers see it, also below a prefix that a proxy strips. */
  get docsPath(): string {
    return new URL(this.docs, 'http://any').pathname;
  }

  /** The link from an error to its explanation, for the header `Link`. */
  help(code: string): string {
    return `<${this.docs}/errors#${code}>; rel="help"`;
  }
}

/** Sets the link to the next page (RFC 8288). `parameters`: the query of this page, without its cursor. */
export function setNextPage(
  reply: FastifyReply,
  links: Links,
  path: string,
  parameters: Record<string, bigint | bigint[] | number | string | undefined>,
  cursor: string,
): void {
  // String() makes a comma-separated list of an array.
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`],
  );
  const query = [...given, `cursor=${cursor}`].join('&');
  void reply.header(LINK.name, `<${links.to(path)}?${query}>; rel="next"`).header(NEXT_CURSOR.name, cursor);
}
