import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallerLabel } from '../logging/access-log.js';
import { methodLabel, routeOf } from '../metrics/request-labels.js';
import type { Traces } from './traces.js';

/** Traces every request except those of open routes (probes and pages). Call it before other hooks are added. */
export function traceRequests(fastify: FastifyInstance, traces: Traces, keyIdOf: CallerLabel): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isOpen(request)) startRequest(request, traces);
    done();
  });
  // Not earlier: code that runs on a socket's event has no request's context.
  fastify.addHook('preValidation', (request, _reply, done) => traces.runInRequest(request, done));
  fastify.addHook('onResponse', (request, reply, done) => {
    traces.endRequest(request, attributesOf(request, reply, keyIdOf), errorTypeOf(request, reply));
    done();
  });
}

/** Probes and pages need no key. */
function isOpen(request: FastifyRequest): boolean {
  return (request.routeOptions.config as { open?: boolean }).open === true;
}

function startRequest(request: FastifyRequest, traces: Traces): void {
  const route = routeOf(request);
  const method = methodLabel(request);
  traces.startRequest(request, route === undefined ? method : `${method} ${route}`, {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    'animal_store.request_id': request.id,
  });
}

function attributesOf(request: FastifyRequest, reply: FastifyReply, keyIdOf: CallerLabel) {
  const keyId = keyIdOf(request);
  return {
    'http.response.status_code': reply.statusCode,
    ...(keyId !== undefined && { 'animal_store.key_id': keyId }),
    ...(request.errorCode !== undefined && { 'animal_store.error_code': request.errorCode }),
  };
}

/** Undefined below 500: a caller's mistake is not an error of the service. */
function errorTypeOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  return reply.statusCode < 500 ? undefined : (request.errorCode ?? String(reply.statusCode));
}
