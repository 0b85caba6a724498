import type { FastifyRequest } from 'fastify';
import { safeParse } from 'fast-content-type-parse';
import type { ApiError } from '../errors/api-error.js';
import {
  MAX_HEADER_BYTES,
  badRequest,
  headersTooLarge,
  unsupportedMediaType,
} from '../errors/common.errors.js';
import { describeValue } from '../validation/describe-value.js';
import { targetProblem } from './request-target.js';

/** What HTTP itself calls malformed about a request that Node's parser let through. */
export function requestProblem(request: FastifyRequest): ApiError | undefined {
  return targetProblem(request.originalUrl) ?? hostProblem(request);
}

/** Exactly one Host header is required (RFC 9112, section 3.2); Node's own answer to that has no body. */
function hostProblem(request: FastifyRequest): ApiError | undefined {
  const hosts = countHeader(request, 'host');
  if (hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')) return undefined;
  return badRequest(`Expected exactly one Host header, got ${String(hosts)}.`);
}

/** How often a header came. Node keeps the first of those that may come only once and drops the rest. */
export function countHeader(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index];
    if (field?.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Node's limit counts the request target in, so this one is checked apart. */
export function headerSizeProblem(request: FastifyRequest): ApiError | undefined {
  let bytes = 0;
  for (const text of request.raw.rawHeaders) bytes += text.length;
  return bytes > MAX_HEADER_BYTES ? headersTooLarge() : undefined;
}

/** The body of an operation is application/json in UTF-8, without a content encoding. */
export function mediaTypeProblem(request: FastifyRequest): ApiError | undefined {
  const { headers } = request;
  // The body of a request that reads has no meaning (RFC 9110, section 9.3.1) and is not looked at.
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined)
    return unsupportedMediaType(`got the content encoding ${describeValue(encoding)}`);
  const given = headers['content-type'];
  if (given === undefined) return unsupportedMediaType('got no Content-Type header');
  const { type, parameters } = safeParse(given);
  if (type !== 'application/json') return unsupportedMediaType(`got the media type ${describeValue(given)}`);
  const charset = parameters.charset?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8') {
    return unsupportedMediaType(`got the charset ${describeValue(charset)}`);
  }
  return undefined;
}
