import type { FastifyReply, FastifyRequest } from 'fastify';
import { JsonBody } from '../../common/json.js';
import { DEFAULT_PAGE_SIZE, JsonPage, ListPage, type Page } from '../../common/paging.js';
import { entityTagOf } from './etag.js';
import type { Links } from './links.js';
import { ETAG, keptName, LINK, NEXT_CURSOR } from './response-headers.js';

const KEPT = { nextCursor: keptName(NEXT_CURSOR), link: keptName(LINK), tag: keptName(ETAG) };
const EMPTY = '[]';

const asItIs = (json: unknown) => json as string;

/** What is to be serialized for what a handler returned. The headers of a page name the next one (RFC 8288). */
export function bodyOf(
  request: FastifyRequest,
  reply: FastifyReply,
  links: Links,
  returned: unknown,
): unknown {
  if (returned instanceof JsonBody) return asWritten(reply, returned.json);
  return returned instanceof ListPage ? bodyOfPage(request, reply, links, returned) : returned;
}

function asWritten(reply: FastifyReply, json: string): string {
  void reply.serializer(asItIs);
  return json;
}

function bodyOfPage(request: FastifyRequest, reply: FastifyReply, links: Links, page: ListPage): unknown {
  const { nextCursor } = page;
  if (nextCursor !== undefined) void reply.header(KEPT.nextCursor, nextCursor);
  if (nextCursor !== undefined && page.hasMore)
    void reply.header(KEPT.link, `<${links.to(targetOf(request, nextCursor))}>; rel="next"`);
  if (!(page instanceof JsonPage)) return (page as Page<unknown>).items;
  if (page.isTaggedAsItem && page.json !== EMPTY)
    void reply.header(KEPT.tag, entityTagOf(page.json.slice(1, -1)));
  return asWritten(reply, page.json);
}

/** Path and query of the request with another cursor, below the version, which a caller may spell `/%761`. */
function targetOf({ url, query }: FastifyRequest, nextCursor: string): string {
  const [path = ''] = url.split('?', 1);
  const parameters = { limit: DEFAULT_PAGE_SIZE, ...(query as object), cursor: nextCursor };
  // String() makes a comma-separated list of an array.
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams(texts).toString().replaceAll('%2C', ',');
  return `${path.slice(path.indexOf('/', 1))}?${search}`;
}
