import {
  Catch,
  HttpException,
  Inject,
  Logger,
  Optional,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { ApiError } from '../../common/errors/api-error.js';
import { internalError } from '../../common/errors/common.errors.js';
import { databaseErrorOf } from '../../common/errors/database-errors.js';
import { fromHttpException } from '../../common/errors/general.errors.js';
import { replyOf, requestOf } from '../requests/context.js';
import { Links } from './links.js';
import { LINK } from './response-headers.js';

/** Injects the headers of every error with a status. An error's own headers win. */
export const STATUS_HEADERS = Symbol('STATUS_HEADERS');

type StatusHeaders = Partial<Record<number, Readonly<Record<string, string>>>>;

/** Maps whatever is thrown to the Error body. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(
    private readonly links: Links,
    @Optional() @Inject(STATUS_HEADERS) private readonly statusHeaders: StatusHeaders = {},
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const reply = replyOf(host);
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
    const status = error.getStatus();
    const ofStatus = this.statusHeaders[status];
    if (ofStatus) void reply.headers(ofStatus);
    void reply.header(LINK.name, link).code(status).headers(error.headers).send(error.getResponse());
  }
}

/** The error that a caller sees: one of the closed set. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof HttpException) return fromHttpException(thrown);
  return databaseErrorOf(thrown) ?? internalError(thrown);
}
