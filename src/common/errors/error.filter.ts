import {
  Catch,
  HttpException,
  Inject,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMISSION_STEPS, type AdmissionStep } from '../http/admission.js';
import { lingerFor } from '../http/lingering-close.js';
import { requestProblem } from '../http/request-framing.js';
import { ROUTE_TABLE, isUnrouted, type RouteTable } from '../http/surface.js';
import { Lifecycle } from '../lifecycle.js';
import { ApiError, type ErrorCode } from './api-error.js';
import {
  badRequest,
  bodyTooLarge,
  internalError,
  methodNotAllowed,
  routeNotFound,
  unsupportedMediaType,
} from './common.errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error this request was answered with, for the log. */
    errorCode?: ErrorCode;
  }
}

/**
 * Turns whatever was thrown, by a handler, a guard or the framework, into the one answer the caller gets.
 * Where the framework failed before any guard ran, the guards' questions are asked here first, so that a
 * stranger learns nothing but 401 and every request is counted once.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(
    @Inject(ADMISSION_STEPS) private readonly steps: readonly AdmissionStep[],
    @Inject(ROUTE_TABLE) private readonly routes: RouteTable,
    private readonly lifecycle: Lifecycle,
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) {
      this.logger.error({ requestId: request.id, err: thrown }, 'failed after the answer was sent');
      return;
    }
    const finding = isCutShort(request, thrown)
      ? badRequest(CUT_SHORT)
      : await this.finding(thrown, request, reply);
    // Fastify ends the connection for what may still come of a body. Requests behind a whole one wait for their answers.
    if (request.raw.complete) {
      // Node says nothing of a header that was removed, so one that is not there is left alone.
      if (reply.hasHeader('Connection')) void reply.removeHeader('Connection');
    } else if (this.lifecycle.state !== 'draining') lingerFor(request, reply);
    // The access log has every answer's code; what is away is logged once, by whoever misses it.
    if (finding.code === 'internal_error')
      this.logger.error({ requestId: request.id, err: finding.cause }, finding.code);
    request.errorCode = finding.code;
    // Not awaited: that would be for the end of the connection's writing, which nobody here waits for.
    void reply.code(finding.status).headers(finding.headers).send(finding.body);
  }

  /** The first finding in the order of docs/errors.md. */
  private async finding(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<ApiError> {
    try {
      for (const step of this.steps) await step.admit(request, reply);
    } catch (refusal) {
      return toApiError(refusal);
    }
    return requestProblem(request) ?? this.routingProblem(request) ?? toApiError(thrown);
  }

  private routingProblem(request: FastifyRequest): ApiError | undefined {
    if (!isUnrouted(request)) return undefined;
    const methods = this.routes.methodsAt(request.raw.url ?? '/');
    return methods.length === 0 ? routeNotFound() : methodNotAllowed(request.method, methods);
  }
}

const CUT_SHORT = 'The request ended before its body was complete.';

/**
 * The caller went away while sending, or sent what the parser refused and has had its answer: this one reaches nobody,
 * and so nobody is charged, as for all that the parser refuses.
 */
function isCutShort(request: FastifyRequest, thrown: unknown): boolean {
  return !request.raw.complete && (thrown as NodeJS.ErrnoException | null)?.code === 'ECONNRESET';
}

/** Nest and Fastify have errors of their own; each is one of ours. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : 500;
  if (status === 413) return bodyTooLarge();
  if (status === 415) return unsupportedMediaType('the Content-Type header cannot be read');
  if (status === 404) return routeNotFound();
  if (status >= 400 && status < 500) return badRequest('The request is malformed.');
  return internalError(thrown);
}
