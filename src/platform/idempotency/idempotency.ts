import { hash } from 'node:crypto';
import {
  applyDecorators,
  Inject,
  Injectable,
  Req,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { replyOf, requestOf } from '../http/requests/context.js';
import { fixedError } from '../common/errors/api-error.js';
import { RETRY_SOON } from '../common/errors/common.errors.js';
import { JSON_MEDIA_TYPE, type JsonBody, stringifyJson } from '../common/json.js';
import type { ListPage } from '../common/paging.js';
import { Database } from '../database/database.js';
import { ApiErrors } from '../http/operations/schemas.js';
import { rawBodyOf } from '../http/requests/body.guard.js';
import { countHeader } from '../http/requests/headers.js';
import { segmentsOf } from '../http/requests/malformed-request.js';
import { Links } from '../http/responses/links.js';
import { setLocation } from '../http/responses/location.js';
import { takesHeader, type ResponseHeader } from '../http/responses/response-headers.js';
import {
  IDEMPOTENCY_ERRORS,
  IDEMPOTENCY_KEY_HEADER,
  invalidIdempotencyKey,
  MAX_IDEMPOTENCY_KEY_CHARACTERS,
} from './idempotency.errors.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const HEADER = IDEMPOTENCY_KEY_HEADER.toLowerCase();
const PRINTABLE_ASCII = new RegExp(`^[\\x20-\\x7e]{1,${String(MAX_IDEMPOTENCY_KEY_CHARACTERS)}}$`);

export const REPLAYED = {
  name: 'Idempotent-Replayed',
  description: 'The stored response of an earlier request with this Idempotency-Key.',
  schema: { const: 'true' },
  on: (status, operation) =>
    status < 300 && takesHeader(operation, IDEMPOTENCY_KEY_HEADER) ? 'sometimes' : 'never',
} as const satisfies ResponseHeader;

/** Injects who a request's `Idempotency-Key` belongs to: the id of its API key. */
export const IDEMPOTENCY_OWNER = Symbol('IDEMPOTENCY_OWNER');
export type IdempotencyOwner = (request: FastifyRequest) => string;

/** One key of one owner. */
interface KeyOfOwner {
  keyId: string;
  idempotencyKey: string;
}

/** Answers a repeated request with the stored response of the first. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly database: Database,
    private readonly links: Links,
  ) {}

  /**
   * Runs `work` once for all requests with one key, or resolves with the stored body. What `work` changes, its response and the key are
   * one transaction.
   *
   * @throws ApiError `idempotency_key_reused`, `idempotency_key_in_use`
   */
  async once(
    id: KeyOfOwner,
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<object>,
  ): Promise<string> {
    try {
      // Without a lock: repeats after the end of the first request do not exclude each other.
      const body =
        (await this.stored(id, request, reply)) ??
        (await this.database.transaction(() => this.respond(id, request, reply, work)));
      void reply.type(JSON_MEDIA_TYPE);
      return body;
    } catch (error) {
      // The commit failed: nothing exists at the location, and nothing is replayed.
      void reply.removeHeader('Location').removeHeader(REPLAYED.name);
      throw error;
    }
  }

  private async respond(
    id: KeyOfOwner,
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<object>,
  ): Promise<string> {
    const isLocked = await this.repository.lock(id.keyId, id.idempotencyKey);
    const replayed = await this.stored(id, request, reply);
    if (replayed !== undefined) return replayed;
    if (!isLocked) throw fixedError(IDEMPOTENCY_ERRORS.idempotency_key_in_use, RETRY_SOON);
    const result = await work();
    setLocation(request, reply, this.links, result);
    const body = stringifyJson(result);
    const location = (reply.getHeader('Location') as string | undefined) ?? null;
    const fingerprint = fingerprintOf(request);
    // Nest sets the status before it runs the handler.
    await this.repository.save({ ...id, fingerprint, status: reply.statusCode, body, location });
    return body;
  }

  /** The body of the stored response, and its status and headers on the reply; undefined where there is none. */
  private async stored(
    id: KeyOfOwner,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | undefined> {
    const stored = await this.repository.find(id.keyId, id.idempotencyKey);
    if (!stored) return undefined;
    if (!stored.fingerprint.equals(fingerprintOf(request)))
      throw fixedError(IDEMPOTENCY_ERRORS.idempotency_key_reused);
    // The first request has checked it.
    if (request.isPreconditionChecked === false) request.isPreconditionChecked = true;
    void reply.code(stored.status).header(REPLAYED.name, 'true');
    if (stored.location !== null) void reply.header('Location', stored.location);
    return stored.body;
  }
}

/** Refuses a bad header before the pipes check the body, and says how to run the handler of a request with a key. */
@Injectable()
class IdempotencyKeyGuard implements CanActivate {
  constructor(
    private readonly idempotency: Idempotency,
    @Inject(IDEMPOTENCY_OWNER) private readonly ownerOf: IdempotencyOwner,
  ) {}

  /** @throws ApiError `invalid_idempotency_key` */
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const idempotencyKey = idempotencyKeyOf(request);
    if (idempotencyKey === undefined) return true;
    const id = { keyId: this.ownerOf(request), idempotencyKey };
    request.once = (work) => this.idempotency.once(id, request, replyOf(context), work);
    return true;
  }
}

type Handler = (...args: unknown[]) => Promise<object>;

/**
 * Runs the handler as the guard says. It takes the request as one argument more. An interceptor could do this too, but it costs
 * each creation a fifth of its time (docs/performance.md).
 */
const runsOnce = (prototype: object, name: string | symbol, descriptor: PropertyDescriptor) => {
  const handler = descriptor.value as Handler;
  const { length } = Reflect.getMetadata('design:paramtypes', prototype, name) as unknown[];
  Req()(prototype, name, length);
  const wrapped = function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const { once } = args[length] as FastifyRequest;
    const work = () => handler.apply(this, args);
    return once ? once(work) : work();
  };
  // Name and metadata are how Nest and its other decorators know a handler.
  Object.defineProperty(wrapped, 'name', { value: name });
  for (const key of Reflect.getMetadataKeys(handler) as string[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapped);
  descriptor.value = wrapped;
};

/** Decorates a handler that returns a DTO or a list of DTOs: a page would be stored without its headers, a JsonBody as an object. */
type DtoHandler = <Method extends (...values: never[]) => Promise<object>>(
  prototype: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method> &
    ([Extract<Awaited<ReturnType<Method>>, JsonBody | ListPage>] extends [never] ? unknown : never),
) => void;

/**
 * Makes a POST safe to repeat: a request with an `Idempotency-Key` takes effect once. What its handler changes, its response and the key are
 * one transaction.
 */
export const Idempotent = (): DtoHandler =>
  applyDecorators(
    UseGuards(IdempotencyKeyGuard),
    runsOnce,
    ApiHeader({
      name: IDEMPOTENCY_KEY_HEADER,
      required: false,
      description:
        'Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. ' +
        'A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARACTERS },
    }),
    ApiErrors(...Object.values(IDEMPOTENCY_ERRORS)),
  );

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
  const target = JSON.stringify([method, segmentsOf(originalUrl), query]);
  return hash('sha256', Buffer.concat([Buffer.from(target), rawBodyOf(request)]), 'buffer');
}
