import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest } from '../../common/errors/common.errors.js';
import { MAX_HEADER_BYTES } from '../../common/errors/errors.js';
import { bodyOf } from './raw-body.js';
import { targetProblem } from './request-target.js';
import { routeOf } from './route-scope.js';

// RFC 3986, section 3.2.2, with a port.
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]*$/;

const VERSIONS = new Set(['1.0', '1.1']);

/** Refuses requests that are malformed by HTTP's rules and that Node's parser accepts. */
@Injectable()
export class RequestFramingGuard implements CanActivate {
  /** @throws ApiError bad_request, uri_too_long */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    // Pages have no guards, so a hook checks every open route (create-app.ts).
    const problem = routeOf(request).scope === 'open' ? undefined : framingProblem(request);
    if (problem) throw problem;
    return true;
  }
}

/** The first error in a request's version, target, Host header or framing; undefined for a valid request. */
export function framingProblem(request: FastifyRequest): ApiError | undefined {
  return (
    versionProblem(request) ??
    targetProblem(request.originalUrl) ??
    hostProblem(request) ??
    // HTTP/1.0 has no chunks, so the end of such a message is unknown (RFC 9112, section 6.1).
    (hasUnknownEnd(request) ? badRequest('HTTP/1.0 has no Transfer-Encoding.') : undefined) ??
    bodyOf(request.raw)?.failure
  );
}

/** The parser also takes HTTP/0.9 and HTTP/2.0, which frame messages differently. */
function versionProblem({ raw }: FastifyRequest): ApiError | undefined {
  return VERSIONS.has(raw.httpVersion)
    ? undefined
    : badRequest(`Expected HTTP/1.1 or HTTP/1.0, got HTTP/${raw.httpVersion}.`);
}

/** Exactly one Host header is required (RFC 9112, section 3.2). Node's own answer to that has no body. */
function hostProblem(request: FastifyRequest): ApiError | undefined {
  const hosts = countHeader(request, 'host');
  if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== '1.0')) {
    return badRequest(`Expected exactly one Host header, got ${hosts}.`);
  }
  if (HOST.test(request.headers.host ?? '')) return undefined;
  return badRequest('The Host header holds characters that a host name cannot have.');
}

/** The rest of the connection cannot be trusted or will not be read. */
export function isLastOnConnection(request: FastifyRequest): boolean {
  // With `Connection: Upgrade` the parser stops after the request, even when the server does not upgrade.
  return request.headers.upgrade !== undefined || hasUnknownEnd(request);
}

function hasUnknownEnd({ raw }: FastifyRequest): boolean {
  return raw.httpVersion !== '1.1' && raw.headers['transfer-encoding'] !== undefined;
}

/** How often the request has a header. Where only one is allowed, Node keeps the first and drops the others. */
export function countHeader(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index];
    if (field?.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

/** headers_too_large for more than 16 KiB of header lines. Node's own limit includes the request target. */
export function headerSizeProblem(request: FastifyRequest): ApiError | undefined {
  const { rawHeaders } = request.raw;
  // A line is a name, a value, the colon and space between them, and the line end: 2 bytes for each text.
  let bytes = 2 * rawHeaders.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes > MAX_HEADER_BYTES ? fixedError('headers_too_large') : undefined;
}
