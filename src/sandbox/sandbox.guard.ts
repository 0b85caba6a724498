import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTH_ERRORS, invalidApiKey } from '../auth/auth.errors.js';
import { callerKeyOf } from '../auth/caller.js';
import { type ApiError, fixedError } from '../platform/common/errors/api-error.js';
import { badRequest, RETRY_SOON } from '../platform/common/errors/common.errors.js';
import type { ErrorKind } from '../platform/common/errors/error-kind.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { replyOf, requestOf } from '../platform/http/requests/context.js';
import { routeOf } from '../platform/http/requests/route-scope.js';
import { IDEMPOTENCY_ERRORS } from '../platform/idempotency/idempotency.errors.js';
import { limitHeaders } from '../rate-limit/limit-headers.js';
import { LIMIT_ERRORS, refusal } from '../rate-limit/rate-limit.errors.js';
import { RateLimitService } from '../rate-limit/rate-limit.service.js';
import { documentedErrors } from './documented-errors.js';

/** The first ban of a key. */
const BAN_MS = 600_000;

/**
 * With SANDBOX=true, answers the documented error that `Prefer` names (the convention of Prism): `Prefer: code=429, example=api_key_banned`.
 * It runs after the guards that refuse callers and before everything that could change something.
 */
@Injectable()
export class SandboxGuard implements CanActivate {
  private errors: ReturnType<typeof documentedErrors> = new Map();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly limits: RateLimitService,
  ) {}

  /** To be called before the first request, with the document of this service. */
  use(document: OpenAPIObject): void {
    this.errors = documentedErrors(document);
  }

  /** @throws ApiError the one that the caller asks for, or bad_request for one that the operation does not have */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!this.config.sandbox) return true;
    const request = requestOf(context);
    const { operation } = routeOf(request);
    const wanted = preferenceOf(request.headers.prefer);
    if (!operation || wanted.code === undefined) return true;
    const byStatus = this.errors.get(operation.id) ?? new Map<number, readonly ErrorKind[]>();
    const ofStatus = byStatus.get(Number(wanted.code)) ?? [];
    const kind = ofStatus.find(({ code }) => code === (wanted.example ?? ofStatus[0]?.code));
    if (!kind) throw unknownPreference(operation.id, byStatus);
    throw kind.status === 429 ? await this.refusalOf(kind, request, replyOf(context)) : errorOf(kind);
  }

  /** The 429 with the headers that a real one would have at this moment. */
  private async refusalOf(kind: ErrorKind, request: FastifyRequest, reply: FastifyReply): Promise<ApiError> {
    const decision = await this.limits.peek(callerKeyOf(request));
    const isBan = kind === LIMIT_ERRORS.api_key_banned;
    const refused = {
      ...decision,
      outcome: isBan ? ('banned' as const) : ('refused' as const),
      bannedUntilMs: isBan ? decision.nowMs + BAN_MS : null,
      windows: decision.windows.map((window) =>
        window.name === 'minute' ? { ...window, remaining: 0 } : window,
      ),
    };
    void reply.headers(limitHeaders(refused));
    return refusal(refused);
  }
}

/** The items of `Prefer` (RFC 7240) that Prism knows. */
function preferenceOf(header: string | string[] | undefined): { code?: string; example?: string } {
  const items = [header ?? []].flat().join(',').split(/[,;]/);
  return Object.fromEntries(
    items
      .map((item) => /^\s*(code|example)\s*=\s*"?([^"\s]*)"?\s*$/i.exec(item))
      .filter((found) => found !== null)
      .map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
}

function unknownPreference(
  operationId: string,
  byStatus: ReadonlyMap<number, readonly ErrorKind[]>,
): ApiError {
  const known = Array.from(
    byStatus,
    ([status, kinds]) => `${status} (${kinds.map(({ code }) => code).join(', ')})`,
  );
  return badRequest(`Prefer: expected a documented error of ${operationId}: ${known.join(', ')}.`);
}

/** The error with its example as message, and the headers of a real one. */
function errorOf(kind: ErrorKind): ApiError {
  if (kind === AUTH_ERRORS.invalid_api_key) return invalidApiKey();
  const isSoon =
    kind === HTTP_ERRORS.service_unavailable || kind === IDEMPOTENCY_ERRORS.idempotency_key_in_use;
  return fixedError(kind, isSoon ? RETRY_SOON : {});
}
