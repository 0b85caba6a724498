import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Lifecycle } from '../common/lifecycle.js';
import type { RequestTelemetry } from '../telemetry/request-telemetry.js';
import type { CapacityGuard } from './requests/capacity.guard.js';
import type { RequestMessage } from './requests/connection.js';
import { isLastOnConnection, malformedRequest } from './requests/malformed-request.js';
import { type RouteTable, routeOf } from './requests/route-scope.js';
import type { Cors } from './responses/cors.js';
import { applyEntityTag } from './responses/etag.js';
import { REQUEST_ID } from './responses/response-headers.js';

interface RequestHook {
  routes: RouteTable;
  cors: Cors;
  telemetry: RequestTelemetry;
  /** Shows the limits of the caller's address on a response that no guard sees. */
  showAddress: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** What every request meets before the guards. */
export function addRequestHook(
  fastify: FastifyInstance,
  { routes, cors, telemetry, showAddress }: RequestHook,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { scope, headers } = routes.resolve(request);
    const span = telemetry.watch(request, reply);
    void reply.header(REQUEST_ID.name, request.id).headers(headers);
    if (isLastOnConnection(request)) void reply.header('Connection', 'close');
    const isPreflight = cors.apply(request, reply);
    const problem = isPreflight ? undefined : malformedRequest(request);
    if (!isPreflight && !problem) {
      telemetry.runIn(span, done);
      return;
    }
    // No guard sees it and it is not counted. Where requests are limited, it shows the address's window.
    const shown = scope === 'open' ? Promise.resolve() : showAddress(request, reply);
    shown.then(() => (problem ? done(problem) : void reply.send()), done);
  });
}

/** What every response meets before it is sent. */
export function addResponseHook(
  fastify: FastifyInstance,
  lifecycle: Lifecycle,
  capacity: CapacityGuard,
): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    capacity.release(request, reply.statusCode);
    // A rolling restart moves callers to another replica without a cut. After a broken body nothing more is read.
    if (lifecycle.state === 'draining' || (request.raw as RequestMessage).failure)
      void reply.header('Connection', 'close');
    done(null, routeOf(request).scope === 'api' ? applyEntityTag(request, reply, payload) : payload);
  });
}
