import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ApiError } from '../../common/errors/api-error.js';
import { routeLabel, type RequestEnds } from '../request-end.js';

/** Writes one line per request. `callerOf` names what the request is counted against. */
export function logRequests(
  ends: RequestEnds,
  logger: Logger,
  callerOf: (request: FastifyRequest) => string,
): void {
  if (!logger.isLevelEnabled('info')) return;
  ends.listen((request, { status, durationMs }) => {
    logger.info(
      {
        requestId: request.id,
        caller: callerOf(request),
        method: request.method,
        route: routeLabel(request) ?? null,
        status,
        code: request.errorCode,
        durationMs: Math.round(durationMs * 100) / 100,
      },
      'request',
    );
  });
}

/** Writes the same line for a request that Node's HTTP parser refused, whose method and route are unknown. */
export function logParserRefusal(
  logger: Logger,
  { error, requestId, address }: { error: ApiError; requestId: string; address: string | undefined },
): void {
  logger.info(
    { requestId, caller: address, method: null, route: null, status: error.status, code: error.code },
    'request',
  );
}
