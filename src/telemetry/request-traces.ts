import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionStep } from '../common/http/admission.js';
import { isUnrouted, settingsOf } from '../common/http/surface.js';
import type { CallerLabel } from './access-log.js';
import { methodLabel, routeOf } from './request-labels.js';
import type { Traces } from './traces.js';

/** Tells of every request but those of open routes: probes and pages. Call before other hooks are added. */
export function traceRequests(fastify: FastifyInstance, traces: Traces, callerLabel: CallerLabel): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isUnrouted(request) && settingsOf(request).open) {
      done();
      return;
    }
    const method = methodLabel(request);
    const route = routeOf(request);
    const facts = {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'animal_store.request_id': request.id,
    };
    traces.begin(request, route === undefined ? method : `${method} ${route}`, facts);
    done();
  });
  // Not earlier: what is read from a socket runs in no request's context.
  fastify.addHook('preValidation', (request, _reply, done) => traces.within(request, done));
  fastify.addHook('onResponse', (request, reply, done) => {
    traces.end(request, factsOf(request, reply, callerLabel), faultOf(request, reply));
    done();
  });
}

/** The same questions, asked as part of the request where no guard ran: then no hook has led there. */
export function tracedStep(step: AdmissionStep, traces: Traces): AdmissionStep {
  return { admit: (request, reply) => traces.within(request, () => step.admit(request, reply)) };
}

function factsOf(request: FastifyRequest, reply: FastifyReply, callerLabel: CallerLabel) {
  const keyId = callerLabel(request);
  return {
    'http.response.status_code': reply.statusCode,
    ...(keyId !== undefined && { 'animal_store.key_id': keyId }),
    ...(request.errorCode !== undefined && { 'animal_store.error_code': request.errorCode }),
  };
}

/** A caller's mistake is no fault of the service. */
function faultOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  return reply.statusCode < 500 ? undefined : (request.errorCode ?? String(reply.statusCode));
}
