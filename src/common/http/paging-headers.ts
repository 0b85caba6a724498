import type { FastifyReply } from 'fastify';
import type { Links } from './links.js';

/** Says where the next page is (RFC 8288). `parameters`: the query of this page, without its cursor. */
export function setNextPage(
  reply: FastifyReply,
  links: Links,
  path: string,
  parameters: Record<string, bigint | bigint[] | number | string | undefined>,
  cursor: string,
): void {
  // Arrays become comma-separated lists, as they came; nothing that passed validation needs escaping.
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  const query = [...given, `cursor=${cursor}`].join('&');
  void reply.header('Link', `<${links.to(path)}?${query}>; rel="next"`).header('X-Next-Cursor', cursor);
}
