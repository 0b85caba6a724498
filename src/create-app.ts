import { METHODS, type Server } from 'node:http';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
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
import { isLastOnConnection, malformedRequest } from './platform/http/requests/malformed-request.js';
import type { RequestMessage } from './platform/http/requests/request-message.js';
import { RouteTable, routeOf } from './platform/http/requests/route-scope.js';
import { BaselineHeaders } from './platform/http/responses/baseline-headers.js';
import { corsOptions, isAllowedPreflight } from './platform/http/responses/cors.js';
import { applyEntityTag } from './platform/http/responses/etag.js';
import { Links } from './platform/http/responses/links.js';
import { serveDocs } from './platform/openapi/docs-page.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { NestLogger } from './platform/telemetry/logging/logger.js';
import { Metrics } from './platform/telemetry/metrics/metrics.js';
import { RequestTelemetry, logParserRefusal } from './platform/telemetry/request-telemetry.js';
import { TRACES } from './platform/telemetry/telemetry.module.js';
import type { Traces } from './platform/telemetry/tracing/traces.js';
import { serveUsagePage } from './rate-limit/usage/usage-page.js';

/** The whole application, ready to listen; nothing is opened yet. */
export async function createApp(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const links = new Links(config.publicBaseUrl);
  const baseline = new BaselineHeaders(links, config.publicBaseUrl);
  const adapter = new FastifyAdapter<Server>(
    fastifyOptions({
      trustProxy: config.trustProxy,
      keepAliveMs: config.keepAliveMs,
      refusalHeaders: (requestId, code) => baseline.ofRefusedMessage(requestId, code),
      onRefused: (refusal) => logParserRefusal(logger, refusal),
    }),
  );
  const fastify = adapter.getInstance();
  takeEveryMethod(fastify);
  const routes = RouteTable.watch(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, routes, links), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config.corsOrigins, RESPONSE_HEADERS));
  const telemetry = new RequestTelemetry(
    logger,
    app.get<Metrics | null>(Metrics),
    app.get<Traces | null>(TRACES),
    { keyIdOf: (request) => request.caller?.key?.id, addressOf: clientAddressOf },
  );
  addFirstHook(app, config, adapter, routes, baseline, telemetry);
  telemetry.addHooks(fastify);
  addHooks(fastify, app.get(PlanThrottlerGuard), app.get(Lifecycle), app.get(CapacityGuard));
  fastify.setReplySerializer((payload) => stringifyJson(payload));
  serveDocs(fastify, apiDocument(app, config), links);
  serveUsagePage(fastify);
  serveKeysPage(fastify);
  await app.init();
  return app;
}

/** The fallback route takes every HTTP method. Fastify reads no body, because BodyGuard does. */
function takeEveryMethod(fastify: FastifyInstance): void {
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
}

/** The adapter runs this hook before its own, CORS among them. */
function addFirstHook(
  app: NestFastifyApplication,
  { corsOrigins }: Config,
  adapter: FastifyAdapter,
  routes: RouteTable,
  baseline: BaselineHeaders,
  telemetry: RequestTelemetry,
): void {
  const throttler = app.get(PlanThrottlerGuard);
  adapter.setOnRequestHook((request, reply, done) => {
    const { scope } = routes.resolve(request);
    telemetry.watch(request, reply);
    baseline.apply(request, reply);
    if (isLastOnConnection(request)) void reply.header('Connection', 'close');
    // A preflight is answered before any guard runs, and still shows the address's window where requests are limited.
    if (scope !== 'open' && isAllowedPreflight(request, corsOrigins))
      throttler.showAddress(request, reply).then(() => done(), done);
    else done();
  });
}

function addHooks(
  fastify: FastifyInstance,
  throttler: PlanThrottlerGuard,
  lifecycle: Lifecycle,
  capacity: CapacityGuard,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const problem = malformedRequest(request);
    // It is refused before any guard runs and is not counted, and shows the address's window where requests are limited.
    if (problem && routeOf(request).scope !== 'open')
      throttler.showAddress(request, reply).then(() => done(problem), done);
    else done(problem);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    capacity.release(request, reply.statusCode);
    // A rolling restart moves callers to another replica without a cut. After a broken body nothing more is read.
    if (lifecycle.state === 'draining' || (request.raw as RequestMessage).failure)
      void reply.header('Connection', 'close');
    // A 204 has no length (RFC 9110, section 8.6); @fastify/cors adds one.
    if (reply.statusCode === 204) void reply.removeHeader('Content-Length');
    done(null, routeOf(request).scope === 'api' ? applyEntityTag(request, reply, payload) : payload);
  });
}
