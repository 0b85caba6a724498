import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../common/lifecycle.js';
import type { RequestTelemetry } from '../telemetry/request-telemetry.js';
import type { CapacityGuard } from './requests/capacity.guard.js';
import type { RequestMessage } from './requests/request-message.js';
import { isLastOnConnection, malformedRequest } from './requests/malformed-request.js';
import { type RouteTable, routeOf } from './requests/route-scope.js';
import type { Cors } from './responses/cors.js';
import { applyEntityTag, applyOwnTag } from './responses/etag.js';
import { hasForgottenPrecondition } from './responses/preconditions.js';
import type { Links } from './responses/links.js';
import { setLocation } from './responses/location.js';
import { bodyOf } from './responses/page-response.js';
import { keptName, REQUEST_ID } from './responses/response-headers.js';

const REQUEST_ID_NAME = keptName(REQUEST_ID);

interface RequestHook {
  routes: RouteTable;
  cors: Cors;
  telemetry: RequestTelemetry;
}

/** What every request meets before the guards. */
export function addRequestHook(fastify: FastifyInstance, { routes, cors, telemetry }: RequestHook): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers } = routes.resolve(request);
    const span = telemetry.watch(request, reply);
    void reply.header(REQUEST_ID_NAME, request.id).headers(headers);
    if (isLastOnConnection(request)) void reply.header('Connection', 'close');
    const isPreflight = cors.apply(request, reply);
    const problem = isPreflight ? undefined : malformedRequest(request);
    // No guard sees what is answered here, so it is not counted.
    if (isPreflight) void reply.send();
    else if (problem) done(problem);
    else telemetry.runIn(span, done);
  });
}

/** What every response meets before it is sent. */
export function addResponseHook(
  fastify: FastifyInstance,
  { lifecycle, capacity, links }: { lifecycle: Lifecycle; capacity: CapacityGuard; links: Links },
): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    setLocation(request, reply, links, payload as object);
    applyOwnTag(reply, payload as object);
    done(null, bodyOf(request, reply, links, payload));
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    capacity.release(request, reply.statusCode);
    if (hasForgottenPrecondition(request, reply)) {
      done(new Error('a handler with @Change() has not called check'));
      return;
    }
    // A rolling restart moves callers to another replica without a cut. After a broken body nothing more is read.
    if (lifecycle.state === 'draining' || (request.raw as RequestMessage).failure)
      void reply.header('Connection', 'close');
    done(null, routeOf(request).scope === 'api' ? applyEntityTag(request, reply, payload) : payload);
  });
}
