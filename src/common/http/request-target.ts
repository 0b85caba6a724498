import { MAX_TARGET_BYTES, badRequest, uriTooLong } from '../errors/common.errors.js';
import type { ApiError } from '../errors/api-error.js';

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
// Printable ASCII without "#": a fragment is never sent (RFC 9112, section 3.2).
const TARGET_CHARACTERS = /^[!"$-~]*$/;
/** A target in origin form (`/v1/pets?limit=5`), however it was written (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What is wrong with a target that HTTP itself calls malformed, if anything. */
export function targetProblem(target: string): ApiError | undefined {
  if (target.length > MAX_TARGET_BYTES) return uriTooLong();
  if (!TARGET_CHARACTERS.test(target))
    return badRequest('The request target holds characters that must be escaped.');
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
 * The target as the router should see it: in origin form. Of a malformed one only the path is left, with what
 * cannot be read replaced, so that the operation it was meant for is found and answers with its headers; the
 * request is refused all the same (request-framing.ts).
 */
export function routableTarget(target: string): string {
  if (targetProblem(target) === undefined) return originForm(target);
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
 * The path of a target, decoded byte for byte, for the question under which prefix a request lies. Never
 * throws, whatever came. `/%761/pets`, `http://host/v1/pets` and `/v1%2Fpets` all lie under `/v1`.
 */
export function decodedPath(target: string): string {
  const [path = ''] = originForm(target).split(/[?#]/, 1);
  return path.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
