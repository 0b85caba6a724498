import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ParserRefusal } from '../common/http/parser-errors.js';
import { routeOf } from './request-labels.js';

/** Who a request was counted against, as the log shows it. */
export type CallerLabel = (request: FastifyRequest) => string | undefined;

/**
 * One line per request. The path is not in it, only the route: a path may hold anything, a key too.
 * `caller` is the key's id; an address for strangers.
 */
export function logRequest(
  logger: Logger,
  callerLabel: CallerLabel,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!logger.isLevelEnabled('info')) return;
  logger.info(
    {
      requestId: request.id,
      caller: callerLabel(request) ?? request.ip,
      method: request.method,
      route: routeOf(request) ?? null,
      status: reply.statusCode,
      code: request.errorCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
    },
    'request',
  );
}

/** The same line for what the HTTP parser refused: of most of it neither method nor route is known. */
export function logParserRefusal(
  logger: Logger,
  callerLabel: CallerLabel,
  { finding, requestId, address, request }: ParserRefusal,
): void {
  logger.info(
    {
      requestId,
      caller: (request && callerLabel(request)) ?? request?.ip ?? address,
      method: request?.method ?? null,
      route: (request && routeOf(request)) ?? null,
      status: finding.status,
      code: finding.code,
    },
    'request',
  );
}
