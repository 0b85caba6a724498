import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { callerKeyOf } from '../auth/caller.js';
import { JSON_MEDIA_TYPE, stringifyJson } from '../common/json.js';
import { rawBodyOf } from '../http/requests/raw-body.js';
import { countHeader } from '../http/requests/request-framing.js';
import { decodedPath } from '../http/requests/request-target.js';
import {
  IDEMPOTENCY_KEY_HEADER,
  invalidIdempotencyKey,
  MAX_IDEMPOTENCY_KEY_CHARACTERS,
} from './idempotency.errors.js';
import { Idempotency, type StoredResponse } from './idempotency.service.js';

type Handler = (...args: unknown[]) => Promise<object>;
type RunOnce = (handler: () => Promise<object>) => Promise<string>;

/** How the handler of the current request runs; unset for a request without a key. */
const current = new AsyncLocalStorage<RunOnce>();

export const REPLAYED_HEADER = 'Idempotent-Replayed';
const HEADER = IDEMPOTENCY_KEY_HEADER.toLowerCase();
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * Makes a handler idempotent by `Idempotency-Key`: a repeated request gets the stored response and does not run the handler. The
 * handler, its response and the key are one transaction. Interceptors run before pipes, so the interceptor reads the header,
 * and the stored response is looked up by the wrapped handler, which runs after validation.
 *
 * @throws ApiError `invalid_idempotency_key`, `idempotency_key_reused`, `idempotency_key_in_use`
 */
export function Idempotent(): MethodDecorator {
  const describe = applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: IDEMPOTENCY_KEY_HEADER,
      required: false,
      description:
        'Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. ' +
        'A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARACTERS },
    }),
  );
  return (prototype, name, descriptor) => {
    const handler = descriptor.value as Handler;
    const wrapped = function (this: object, ...args: unknown[]): Promise<object | string> {
      const run = () => handler.apply(this, args);
      return current.getStore()?.(run) ?? run();
    };
    // Decorators keep what they declare on the function.
    for (const key of Reflect.getMetadataKeys(handler) as string[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapped);
    }
    descriptor.value = wrapped as typeof descriptor.value;
    describe(prototype, name, descriptor);
  };
}

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: Idempotency) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next.handle();
    const runOnce: RunOnce = (handler) =>
      this.respondOnce(request, http.getResponse<FastifyReply>(), key, handler);
    return defer(() => current.run(runOnce, () => lastValueFrom(next.handle())));
  }

  /** Sets status and headers; resolves with the body, which is JSON already. */
  private async respondOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    handler: () => Promise<object>,
  ): Promise<string> {
    const keyId = callerKeyOf(request).id;
    try {
      const { response, isReplayed } = await this.idempotency.once(
        keyId,
        key,
        fingerprintOf(request),
        async () => responseOf(reply, await handler()),
      );
      void reply.code(response.status).type(JSON_MEDIA_TYPE);
      if (response.location !== null) void reply.header('Location', response.location);
      if (isReplayed) void reply.header(REPLAYED_HEADER, 'true');
      return response.body;
    } catch (error) {
      // The handler succeeded and the commit failed: nothing exists at the location.
      void reply.removeHeader('Location');
      throw error;
    }
  }
}

/** Undefined where the request has no key. */
function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const value = request.headers[HEADER] as string | undefined;
  if (value === undefined) return undefined;
  const key = countHeader(request, HEADER) === 1 ? parseIdempotencyKey(value) : undefined;
  if (key === undefined) throw invalidIdempotencyKey(value);
  return key;
}

/**
 * The key in a header's value, bare or in quotes (the structured string of draft-ietf-httpapi-idempotency-key-header);
 * undefined when it is empty, too long or not printable ASCII.
 */
function parseIdempotencyKey(value: string): string | undefined {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  const key = isQuoted ? value.slice(1, -1) : value;
  const isValid = PRINTABLE_ASCII.test(key) && key.length <= MAX_IDEMPOTENCY_KEY_CHARACTERS;
  return isValid ? key : undefined;
}

/** SHA-256 of method, path, query and body bytes: equal fingerprints are equal requests. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const { method, originalUrl } = request;
  const [, query = ''] = /\?(.*)$/s.exec(originalUrl) ?? [];
  // JSON separates the parts, whatever characters they contain.
  const target = JSON.stringify([method, decodedPath(originalUrl), query]);
  return hash('sha256', Buffer.concat([Buffer.from(target), rawBodyOf(request)]), 'buffer');
}

/** Nest sets the status before it runs the handler, and the handler sets `Location`. */
function responseOf(reply: FastifyReply, body: object): StoredResponse {
  const location = reply.getHeader('Location') as string | undefined;
  return { status: reply.statusCode, body: stringifyJson(body), location: location ?? null };
}
