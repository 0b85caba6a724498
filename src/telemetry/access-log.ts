import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

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
      route: request.is404 ? null : request.routeOptions.url,
      status: reply.statusCode,
      code: request.errorCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
    },
    'request',
  );
}
