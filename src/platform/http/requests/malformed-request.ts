import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../common/errors/api-error.js';
import { badRequest } from '../../common/errors/common.errors.js';
import { countHeader } from './headers.js';

const VERSIONS = new Set(['1.0', '1.1']);
// Printable ASCII without "#": a fragment is never sent (RFC 9112, section 3.2).
const TARGET_CHARACTERS = /^[!"$-~]*$/;
const ENDS_IN_CHUNKS = /(?:^|,)[ \t]*chunked[ \t]*$/i;

/** Returns bad_request for a request that Node's parser accepts and HTTP's rules do not; undefined for any other. */
export function malformedRequest(request: FastifyRequest): ApiError | undefined {
  const { httpVersion } = request.raw;
  // The parser also takes HTTP/0.9 and HTTP/2.0, which frame messages differently.
  if (!VERSIONS.has(httpVersion))
    return badRequest(`Expected HTTP/1.1 or HTTP/1.0, got HTTP/${httpVersion}.`);
  if (hasUnknownEnd(request))
    return badRequest('Expected a Transfer-Encoding that ends in chunked, and HTTP/1.1 with it.');
  const hosts = countHeader(request, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return badRequest(`Expected exactly one Host header, got ${hosts}.`);
  return malformedTarget(request.originalUrl);
}

/** Returns bad_request for a target with characters that must be escaped, or with an escape that does not decode. */
export function malformedTarget(target: string): ApiError | undefined {
  if (!TARGET_CHARACTERS.test(target))
    return badRequest('The request target holds characters that must be escaped.');
  if (decodes(target)) return undefined;
  return badRequest('The request target holds a percent escape that is not valid UTF-8 in hexadecimal.');
}

/** The rest of the connection cannot be trusted or will not be read. */
export function isLastOnConnection(request: FastifyRequest): boolean {
  // With `Connection: Upgrade` the parser stops after the request, even when the server does not upgrade.
  return request.headers.upgrade !== undefined || hasUnknownEnd(request);
}

/** HTTP/1.0 has no chunks, and no other coding shows where a body ends (RFC 9112, sections 6.1 and 6.3). */
function hasUnknownEnd({ raw }: FastifyRequest): boolean {
  const coding = raw.headers['transfer-encoding'];
  return coding !== undefined && (raw.httpVersion !== '1.1' || !ENDS_IN_CHUNKS.test(coding));
}

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
const EMPTY_SEGMENT = /^[^?#]*\/(?:[/?#]|$)/;
/** A path below `/v1` that no route matches. */
const UNROUTED = '/v1';

/**
 * The target as the router sees it. The router and its not-found handler run before the hooks and guards, so a path that it cannot
 * decode, and a path below `/v1` with an empty segment, which it would take for an empty parameter, lead to the fallback route.
 */
export function routableTarget(target: string): string {
  const local = originForm(target);
  const hasEmptySegment = EMPTY_SEGMENT.test(local) && segmentsOf(local).join('/').startsWith('/v1/');
  const isUndecodable = local.includes('%') && !decodes(pathOf(local));
  return hasEmptySegment || isUndecodable ? UNROUTED : local;
}

/** Converts a target to origin form (`/v1/pets?limit=5`; RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const pathOf = (target: string) => target.split(/[?#]/, 1)[0] ?? '';

/**
 * The decoded segments of a target's path. Never throws. `/%761/pets` and `http://host/v1/pets` are the path `/v1/pets`; an escaped slash
 * separates no segments.
 */
export function segmentsOf(target: string): string[] {
  return pathOf(originForm(target))
    .split('/')
    .map((segment) =>
      segment.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    );
}

function decodes(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
