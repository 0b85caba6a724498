import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../../common/errors/api-error.js';
import { internalError } from '../../common/errors/common.errors.js';
import { Links } from './links.js';
import { LINK } from './response-headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error this request was answered with, for the log. */
    errorCode?: ErrorCode;
  }
}

/** Maps every thrown error to the Error body. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(private readonly links: Links) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) {
      this.logger.error({ requestId: request.id, err: thrown }, 'failed after the answer was sent');
      return;
    }
    const error = toApiError(thrown);
    // The access log has the code of every response. A lost database or Redis is logged once, where it is detected.
    if (error.code === 'internal_error')
      this.logger.error({ requestId: request.id, err: error.cause }, error.code);
    request.errorCode = error.code;
    // A deprecated operation has links of its own.
    const link = [reply.getHeader(LINK.name) ?? [], this.links.help(error.code)].flat().join(', ');
    void reply.header(LINK.name, link).code(error.status).headers(error.headers).send(error.body);
  }
}

/** The error that a caller sees: one of the closed set. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : internalError(thrown);
}
