import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeParse } from 'fast-content-type-parse';
import { describeValue } from '../../common/describe-value.js';
import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest, malformedJson, unsupportedMediaType } from '../../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { MAX_BODY_BYTES } from '../../common/size-limits.js';
import { JsonSyntaxError, parseJson } from '../../common/json.js';
import type { RequestMessage } from './request-message.js';
import { countHeader } from './headers.js';
import { replyOf, requestOf } from './context.js';
import { routeOf } from './route-scope.js';

const EMPTY = Buffer.alloc(0);

/** The bytes of the body; empty without a body. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return request.rawBody ?? EMPTY;
}

/**
 * Reads the body of an operation as JSON into `request.body`; undefined for an empty body. It runs after the guards that refuse callers,
 * so a refused caller gets its response without a wait for the body, and Node discards the body.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  /**
   * @throws ApiError unsupported_media_type, body_too_large, malformed_json, bad_request, request_timeout, service_unavailable
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    // The body of a GET or HEAD has no meaning (RFC 9110, section 9.3.1) and is not checked.
    if (routeOf(request).url === undefined || request.method === 'GET' || request.method === 'HEAD')
      return true;
    const { headers } = request;
    const declaredBytes = Number(headers['content-length'] ?? 0);
    if (declaredBytes === 0 && headers['transfer-encoding'] === undefined) return true;
    return this.readJson(request, replyOf(context), declaredBytes);
  }

  private async readJson(
    request: FastifyRequest,
    reply: FastifyReply,
    declaredBytes: number,
  ): Promise<boolean> {
    const { headers, raw } = request;
    const expectsContinue = headers.expect !== undefined && raw.httpVersion === '1.1';
    const refusal = mediaTypeProblem(request);
    if (refusal && (expectsContinue || declaredBytes > 0)) throw refusal;
    if (declaredBytes > MAX_BODY_BYTES) throw fixedError(HTTP_ERRORS.body_too_large);
    if (expectsContinue) reply.raw.writeContinue();
    const bytes = await this.readBytes(raw as RequestMessage, refusal);
    if (bytes.length === 0) return true;
    request.rawBody = bytes;
    try {
      request.body = parseJson(bytes);
    } catch (error) {
      throw error instanceof JsonSyntaxError ? malformedJson(error.message) : error;
    }
    return true;
  }

  /**
   * Reads at most 64 KiB, and discards the rest, so that the connection can be used again. `refusal` is thrown when the body turns out not
   * to be empty.
   */
  private readBytes(message: RequestMessage, refusal: ApiError | undefined): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (message.failure) throw message.failure;
      if (message.destroyed) throw brokenOff();
      const chunks: Buffer[] = [];
      let bytes = 0;
      let isRefused = false;
      const refuse = (error: ApiError) => {
        isRefused = true;
        chunks.length = 0;
        reject(error);
      };
      message
        .on('data', (chunk: Buffer) => {
          if (isRefused) return;
          bytes += chunk.length;
          if (refusal || bytes > MAX_BODY_BYTES) {
            refuse(refusal ?? fixedError(HTTP_ERRORS.body_too_large));
            return;
          }
          chunks.push(chunk);
        })
        .once('end', () => {
          message.forgetBody();
          resolve(Buffer.concat(chunks));
        })
        .once('failure', refuse)
        // A caller who leaves makes the stream emit an error as well; `close` follows it.
        .once('error', () => undefined)
        .once('close', () => {
          if (!message.readableEnded) refuse(brokenOff());
        });
    });
  }
}

const brokenOff = () => badRequest('The request ended before its body was complete.');

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
