import { METHODS, type Server } from 'node:http';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { apiDocument, RESPONSE_HEADERS } from './api-document.js';
import { AppModule } from './app.module.js';
import { clientAddressOf } from './auth/caller.js';
import { serveKeysPage } from './auth/page/keys-page.js';
import { stringifyJson } from './platform/common/json.js';
import { Lifecycle } from './platform/common/lifecycle.js';
import type { Config } from './platform/config/config.js';
import { fastifyOptions } from './platform/http/http-server.js';
import { CapacityGuard } from './platform/http/requests/capacity.guard.js';
import type { RequestMessage } from './platform/http/requests/connection.js';
import { isLastOnConnection, malformedRequest } from './platform/http/requests/malformed-request.js';
import { RouteTable, routeOf } from './platform/http/requests/route-scope.js';
import { BaselineHeaders } from './platform/http/responses/baseline-headers.js';
import { Cors } from './platform/http/responses/cors.js';
import { applyEntityTag } from './platform/http/responses/etag.js';
import { Links } from './platform/http/responses/links.js';
import { REQUEST_ID } from './platform/http/responses/response-headers.js';
import { serveDocs } from './platform/openapi/docs-page.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { NestLogger } from './platform/telemetry/logging/logger.js';
import { Metrics } from './platform/telemetry/metrics/metrics.js';
import { RequestTelemetry } from './platform/telemetry/request-telemetry.js';
import { TRACES } from './platform/telemetry/telemetry.module.js';
import type { Traces } from './platform/telemetry/tracing/traces.js';
import { serveUsagePage } from './rate-limit/usage/usage-page.js';

/** The whole application, ready to listen; nothing is opened yet. */
export async function createApp(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const links = new Links(config.publicBaseUrl);
  const baseline = new BaselineHeaders(links, config.publicBaseUrl);
  const adapter = new FastifyAdapter<Server>(
    fastifyOptions(config, (requestId, code) => baseline.ofRefusedMessage(requestId, code)),
  );
  const fastify = adapter.getInstance();
  // The fallback route takes every HTTP method. Fastify reads no body, because BodyGuard does.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const routes = new RouteTable(fastify, (scope, operation) => baseline.of(scope, operation));
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  addRequestHook(app, config, logger, routes);
  addResponseHook(app);
  fastify.setReplySerializer((payload) => stringifyJson(payload));
  serveDocs(fastify, apiDocument(app, config), links);
  serveUsagePage(fastify);
  serveKeysPage(fastify);
  await app.init();
  return app;
}

/** What every request meets before the guards. */
function addRequestHook(
  app: NestFastifyApplication,
  config: Config,
  logger: Logger,
  routes: RouteTable,
): void {
  const cors = new Cors(config.corsOrigins, RESPONSE_HEADERS);
  const throttler = app.get(PlanThrottlerGuard);
  const telemetry = new RequestTelemetry(
    logger,
    app.get<Metrics | null>(Metrics),
    app.get<Traces | null>(TRACES),
    { keyIdOf: (request) => request.caller?.key?.id, addressOf: clientAddressOf },
  );
  const fastify = app.getHttpAdapter().getInstance();
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
    const shown = scope === 'open' ? Promise.resolve() : throttler.showAddress(request, reply);
    shown.then(() => (problem ? done(problem) : void reply.send()), done);
  });
}

function addResponseHook(app: NestFastifyApplication): void {
  const lifecycle = app.get(Lifecycle);
  const capacity = app.get(CapacityGuard);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    capacity.release(request, reply.statusCode);
    // A rolling restart moves callers to another replica without a cut. After a broken body nothing more is read.
    if (lifecycle.state === 'draining' || (request.raw as RequestMessage).failure)
      void reply.header('Connection', 'close');
    done(null, routeOf(request).scope === 'api' ? applyEntityTag(request, reply, payload) : payload);
  });
}
