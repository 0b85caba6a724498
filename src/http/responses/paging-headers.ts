import type { FastifyReply } from 'fastify';
import type { Links } from './links.js';

/** Sets the link to the next page (RFC 8288). `parameters`: the query of this page, without its cursor. */
export function setNextPage(
  reply: FastifyReply,
  links: Links,
  path: string,
  parameters: Record<string, bigint | bigint[] | number | string | undefined>,
  cursor: string,
): void {
  // String() makes a comma-separated list of an array. No validated value needs escaping.
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  const query = [...given, `cursor=${cursor}`].join('&');
  void reply.header('Link', `<${links.to(path)}?${query}>; rel="next"`).header('X-Next-Cursor', cursor);
}
