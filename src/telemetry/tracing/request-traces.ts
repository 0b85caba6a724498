import type { FastifyInstance, FastifyRequest } from 'fastify';
import { methodLabel, routeLabel, type RequestEnds } from '../request-end.js';
import type { Traces } from './traces.js';

/** The id of the API key that a request came with; undefined without a valid key. */
type KeyIdOf = (request: FastifyRequest) => string | undefined;

/** Traces every request except those of open routes (probes and pages). Call it before other hooks are added. */
export function traceRequests(
  fastify: FastifyInstance,
  ends: RequestEnds,
  traces: Traces,
  keyIdOf: KeyIdOf,
): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isOpen(request)) startRequest(request, traces);
    done();
  });
  // Not earlier: code that runs on a socket's event has no request's context.
  fastify.addHook('preValidation', (request, _reply, done) => traces.runInRequest(request, done));
  ends.listen((request, { status }) => {
    traces.endRequest(request, attributesOf(request, status, keyIdOf), errorTypeOf(request, status));
  });
}

/** Probes and pages need no key. */
function isOpen(request: FastifyRequest): boolean {
  return (request.routeOptions.config as { open?: boolean }).open === true;
}

function startRequest(request: FastifyRequest, traces: Traces): void {
  const route = routeLabel(request);
  const method = methodLabel(request);
  traces.startRequest(request, route === undefined ? method : `${method} ${route}`, {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    'animal_store.request_id': request.id,
  });
}

function attributesOf(request: FastifyRequest, status: number, keyIdOf: KeyIdOf) {
  const keyId = keyIdOf(request);
  return {
    'http.response.status_code': status,
    ...(keyId !== undefined && { 'animal_store.key_id': keyId }),
    ...(request.errorCode !== undefined && { 'animal_store.error_code': request.errorCode }),
  };
}

/** Undefined below 500: a caller's mistake is not an error of the service. */
function errorTypeOf(request: FastifyRequest, status: number): string | undefined {
  return status < 500 ? undefined : (request.errorCode ?? String(status));
}
