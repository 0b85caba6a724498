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
import { callerKeyOf } from '../../auth/caller.js';
import { JSON_MEDIA_TYPE, stringifyJson } from '../common/json.js';
import { Database } from '../database/database.js';
import { rawBodyOf } from '../http/requests/raw-body.js';
import { countHeader } from '../http/requests/request-framing.js';
import { decodedPath } from '../http/requests/request-target.js';
import {
  IDEMPOTENCY_KEY_HEADER,
  idempotencyKeyInUse,
  idempotencyKeyReused,
  invalidIdempotencyKey,
  MAX_IDEMPOTENCY_KEY_CHARACTERS,
} from './idempotency.errors.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { REPLAYED } from './replayed-header.js';

type Handler = (...args: unknown[]) => Promise<object>;
type RunOnce = (handler: () => Promise<object>) => Promise<string>;

/** How the handler of the current request runs; unset for a request without a key. */
const current = new AsyncLocalStorage<RunOnce>();

const HEADER = IDEMPOTENCY_KEY_HEADER.toLowerCase();
const PRINTABLE_ASCII = new RegExp(`^[\\x20-\\x7e]{1,${String(MAX_IDEMPOTENCY_KEY_CHARACTERS)}}$`);

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
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly database: Database,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const idempotencyKey = idempotencyKeyOf(request);
    if (idempotencyKey === undefined) return next.handle();
    const runOnce: RunOnce = async (handler) => {
      try {
        const body = await this.database.transaction(() =>
          this.respondOnce(request, reply, idempotencyKey, handler),
        );
        void reply.type(JSON_MEDIA_TYPE);
        return body;
      } catch (error) {
        // The commit failed: nothing exists at the location, and nothing is replayed.
        void reply.removeHeader('Location').removeHeader(REPLAYED.name);
        throw error;
      }
    };
    return defer(() => current.run(runOnce, () => lastValueFrom(next.handle())));
  }

  /** Resolves with the body, which is JSON already; sets status and headers of a repeat. */
  private async respondOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    idempotencyKey: string,
    handler: () => Promise<object>,
  ): Promise<string> {
    const keyId = callerKeyOf(request).id;
    const fingerprint = fingerprintOf(request);
    if (!(await this.repository.lock(keyId, idempotencyKey))) throw idempotencyKeyInUse();
    const stored = await this.repository.find(keyId, idempotencyKey);
    if (!stored) {
      const body = stringifyJson(await handler());
      // Nest sets the status before it runs the handler, and the handler sets `Location`.
      const location = (reply.getHeader('Location') as string | undefined) ?? null;
      const status = reply.statusCode;
      await this.repository.store({ keyId, idempotencyKey, fingerprint, status, body, location });
      return body;
    }
    if (!stored.fingerprint.equals(fingerprint)) throw idempotencyKeyReused();
    void reply.code(stored.status).header(REPLAYED.name, 'true');
    if (stored.location !== null) void reply.header('Location', stored.location);
    return stored.body;
  }
}

/** The key of a request, bare or in quotes (the structured string of draft-ietf-httpapi-idempotency-key-header), if it has one. */
function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const value = request.headers[HEADER] as string | undefined;
  if (value === undefined) return undefined;
  const key = value.replace(/^"(.*)"$/s, '$1');
  if (countHeader(request, HEADER) > 1 || !PRINTABLE_ASCII.test(key)) throw invalidIdempotencyKey(value);
  return key;
}

/** SHA-256 of method, path, query and body bytes: equal fingerprints are equal requests. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const { method, originalUrl } = request;
  const [, query = ''] = /\?(.*)$/s.exec(originalUrl) ?? [];
  // JSON separates the parts, whatever characters they contain.
  const target = JSON.stringify([method, decodedPath(originalUrl), query]);
  return hash('sha256', Buffer.concat([Buffer.from(target), rawBodyOf(request)]), 'buffer');
}
