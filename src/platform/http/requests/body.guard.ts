import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeParse } from 'fast-content-type-parse';
import { describeValue } from '../../common/describe-value.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { malformedJson, unsupportedMediaType } from '../../common/errors/common.errors.js';
import { JsonSyntaxError, parseJson } from '../../common/json.js';
import { bodyOf, type IncomingBody } from './raw-body.js';
import { countHeader } from './request-framing.js';
import { routeOf } from './route-scope.js';

/**
 * Reads the body of an operation as JSON into `request.body`; undefined for an empty body. It runs after the guards that refuse callers,
 * so a refused caller gets its response without a wait for the body.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  /** @throws ApiError unsupported_media_type, body_too_large, malformed_json, bad_request */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const body = bodyOf(request.raw);
    // The body of a GET or HEAD has no meaning (RFC 9110, section 9.3.1) and is not checked.
    if (!body || routeOf(request).isFallback || request.method === 'GET' || request.method === 'HEAD')
      return true;
    return readJson(body, request, http.getResponse<FastifyReply>());
  }
}

async function readJson(body: IncomingBody, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const bytes = await body.read(reply.raw, mediaTypeProblem(request));
  if (bytes.length === 0) return true;
  request.rawBody = bytes;
  try {
    request.body = parseJson(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? malformedJson(error.message) : error;
  }
  return true;
}

/** A body is application/json in UTF-8, without a content encoding. */
export function mediaTypeProblem(request: FastifyRequest): ApiError | undefined {
  const { headers } = request;
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return unsupportedMediaType(`got the transfer encoding ${describeValue(transfer)}`);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return unsupportedMediaType(`got the content encoding ${describeValue(encoding)}`);
  const given = headers['content-type'];
  if (given === undefined) return unsupportedMediaType('got no Content-Type header');
  if (countHeader(request, 'content-type') > 1)
    return unsupportedMediaType('got several Content-Type headers');
  const { type, parameters } = safeParse(given);
  if (type !== 'application/json') return unsupportedMediaType(`got the media type ${describeValue(given)}`);
  // Another parameter's text may hold anything.
  const withoutTexts = given.replace(/"(?:[^"\\]|\\.)*"/g, '');
  if ((withoutTexts.match(/;\s*charset\s*=/gi) ?? []).length > 1)
    return unsupportedMediaType('got several charsets');
  const charset = parameters.charset?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    return unsupportedMediaType(`got the charset ${describeValue(charset)}`);
  }
  return undefined;
}
