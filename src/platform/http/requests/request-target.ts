import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest } from '../../common/errors/common.errors.js';
import { MAX_TARGET_BYTES } from '../../common/errors/errors.js';

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
/** No host, with or without a user and a port (RFC 9110, section 4.2.1). */
const EMPTY_HOST = /^https?:\/\/(?:[^/?#@]*@)?(?::\d*)?(?:[/?#]|$)/i;
// Printable ASCII without "#": a fragment is never sent (RFC 9112, section 3.2).
const TARGET_CHARACTERS = /^[!"$-~]*$/;
const EMPTY_SEGMENT = /^[^?#]*\/(?:[/?#]|$)/;
/** A path below `/v1` that no route matches. */
const UNROUTED = '/v1';

/** Converts a target to origin form (`/v1/pets?limit=5`; RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Checks a target against HTTP's own rules. Returns bad_request, uri_too_long, or undefined for a valid target. */
export function targetProblem(target: string): ApiError | undefined {
  if (target.length > MAX_TARGET_BYTES) return fixedError('uri_too_long');
  if (!TARGET_CHARACTERS.test(target))
    return badRequest('The request target holds characters that must be escaped.');
  if (EMPTY_HOST.test(target)) return badRequest('The request target names no host.');
  if (target.includes('%')) {
    try {
      decodeURIComponent(target);
    } catch {
      return badRequest('The request target holds a percent escape that is not valid UTF-8 in hexadecimal.');
    }
  }
  return undefined;
}

/**
 * The target as the router sees it: in origin form. A malformed target is reduced to its path, with unreadable segments replaced,
 * so that the router finds the operation, with its 403 and its headers. RequestFramingGuard refuses the request then. A path
 * parameter is never empty, so a path below `/v1` with an empty segment matches no route.
 */
export function routableTarget(target: string): string {
  const routable = targetProblem(target) === undefined ? originForm(target) : readablePath(target);
  return EMPTY_SEGMENT.test(routable) && decodedPath(routable).startsWith('/v1/') ? UNROUTED : routable;
}

function readablePath(target: string): string {
  const [path = '/'] = originForm(target).split(/[?#]/, 1);
  return path.slice(0, MAX_TARGET_BYTES).split('/').map(readableSegment).join('/');
}

function readableSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    return '_';
  }
}

/**
 * The decoded path of a target, to find the prefix of a request. Never throws. `/%761/pets`, `http://host/v1/pets` and
 * `/v1%2Fpets` all lie under `/v1`.
 */
export function decodedPath(target: string): string {
  const [path = ''] = originForm(target).split(/[?#]/, 1);
  return path.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
