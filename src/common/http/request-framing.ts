import type { Readable } from 'node:stream';
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

// RFC 3986, section 3.2.2, with a port.
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]*$/;

/** What HTTP itself calls malformed about a request that Node's parser let through. */
export function requestProblem(request: FastifyRequest): ApiError | undefined {
  return targetProblem(request.originalUrl) ?? hostProblem(request) ?? expectationProblem(request);
}

/** Exactly one Host header is required (RFC 9112, section 3.2); Node's own answer to that has no body. */
function hostProblem(request: FastifyRequest): ApiError | undefined {
  const hosts = countHeader(request, 'host');
  if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== '1.0')) {
    return badRequest(`Expected exactly one Host header, got ${hosts}.`);
  }
  if (HOST.test(request.headers.host ?? '')) return undefined;
  return badRequest('The Host header holds characters that no host name has.');
}

/** The one expectation there is (RFC 9110, section 10.1.1). */
function expectationProblem(request: FastifyRequest): ApiError | undefined {
  const { expect } = request.headers;
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined;
  return badRequest(`Expect: expected 100-continue, got ${describeValue(expect)}`);
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

/**
 * Calls back with unsupported_media_type, if that is what is wrong with a body, or with the loss of the caller meanwhile. A body
 * that is empty has no type to be wrong.
 */
export function findMediaTypeProblem(
  request: FastifyRequest,
  body: Readable,
  found: (problem: Error | undefined) => void,
): void {
  const problem = mediaTypeProblem(request);
  if (!problem || request.headers['transfer-encoding']?.toLowerCase() !== 'chunked') {
    found(problem);
    return;
  }
  // Of chunks nobody knows before they come whether there are any. None may: then the loss is what was found.
  const known = (loss?: Error) => {
    body.off('readable', known).off('error', known);
    if (loss) {
      found(loss);
      return;
    }
    const isEmpty = body.readableLength === 0 && request.raw.complete;
    if (isEmpty) delete request.headers['content-type'];
    found(isEmpty ? undefined : problem);
  };
  body.on('readable', known).on('error', known);
}

/** The body of an operation is application/json in UTF-8, without a content encoding. */
function mediaTypeProblem(request: FastifyRequest): ApiError | undefined {
  const { headers } = request;
  // The body of a request that reads has no meaning (RFC 9110, section 9.3.1) and is not looked at.
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const transfer = headers['transfer-encoding'];
  if (transfer === undefined && Number(headers['content-length'] ?? 0) === 0) {
    // A type without a body says nothing; Fastify would still refuse one it cannot read.
    delete headers['content-type'];
    return undefined;
  }
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return unsupportedMediaType(`got the transfer encoding ${describeValue(transfer)}`);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined)
    return unsupportedMediaType(`got the content encoding ${describeValue(encoding)}`);
  const given = headers['content-type'];
  if (given === undefined) return unsupportedMediaType('got no Content-Type header');
  if (countHeader(request, 'content-type') > 1)
    return unsupportedMediaType('got several Content-Type headers');
  const { type, parameters } = safeParse(given);
  if (type !== 'application/json') return unsupportedMediaType(`got the media type ${describeValue(given)}`);
  if ((given.match(/;\s*charset\s*=/gi) ?? []).length > 1)
    return unsupportedMediaType('got several charsets');
  const charset = parameters.charset?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8') {
    return unsupportedMediaType(`got the charset ${describeValue(charset)}`);
  }
  return undefined;
}
