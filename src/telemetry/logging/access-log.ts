import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ApiError } from '../../common/errors/api-error.js';
import { routeOf } from '../metrics/request-labels.js';

/** The id of the API key that a request came with; undefined without a valid key. */
export type CallerLabel = (request: FastifyRequest) => string | undefined;

/** Writes one line per request. `caller` is the key's id, or the client address without a valid key. */
export function logRequest(
  logger: Logger,
  keyIdOf: CallerLabel,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!logger.isLevelEnabled('info')) return;
  logger.info(
    {
      requestId: request.id,
      caller: keyIdOf(request) ?? request.ip,
      method: request.method,
      route: routeOf(request) ?? null,
      status: reply.statusCode,
      code: request.errorCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
    },
    'request',
  );
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
