import type { Server } from 'node:http';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { callerOf } from './auth/caller.js';
import { malformedJson } from './common/errors/common.errors.js';
import { applyEntityTag } from './common/http/conditional-get.js';
import { corsOptions, isAllowedPreflight } from './common/http/cors.js';
import { fastifyOptions } from './common/http/fastify-options.js';
import { lingerFor } from './common/http/lingering-close.js';
import { Links } from './common/http/links.js';
import { allowFiles } from './common/http/pages.js';
import { forgetReply, rememberReply } from './common/http/open-replies.js';
import { rememberRawBody } from './common/http/raw-body.js';
import { findMediaTypeProblem, headerSizeProblem, requestProblem } from './common/http/request-framing.js';
import { routeEverything } from './common/http/route-everything.js';
import { StandingHeaders } from './common/http/standing-headers.js';
import { RouteTable, surfaceOf } from './common/http/surface.js';
import { transportSecurity } from './common/http/transport-security.js';
import { JsonSyntaxError, parseJson } from './common/json/parse-json.js';
import { stringifyJson } from './common/json/stringify-json.js';
import { Lifecycle } from './common/lifecycle.js';
import type { Config } from './config/config.js';
import { TakeTurnsGuard } from './database/take-turns.guard.js';
import { buildDocument } from './openapi/document.js';
import { serveDocs } from './openapi/docs-page.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { serveUsagePage } from './rate-limit/usage-page.js';
import { logParserRefusal, logRequest } from './telemetry/access-log.js';
import { NestLogger } from './telemetry/logger.js';
import { Metrics } from './telemetry/metrics.js';
import { measureRequests } from './telemetry/request-metrics.js';
import { traceRequests } from './telemetry/request-traces.js';
import { Traces } from './telemetry/traces.js';

/** The whole application, ready to listen; nothing is opened yet. */
export async function createApp(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter<Server>(
    fastifyOptions(config.trustProxy, {
      headersOf: (request) => standing.of(request),
      tell: (refusal) => logParserRefusal(logger, keyIdOf, refusal),
    }),
  );
  const routes = RouteTable.watch(adapter.getInstance());
  const links = new Links(config.publicBaseUrl);
  const standing = new StandingHeaders(routes, links, transportSecurity(config.publicBaseUrl));
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, routes, links), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config.corsOrigins));
  const fastify = adapter.getInstance();
  const traces = app.get<Traces | null>(Traces);
  if (traces) traceRequests(fastify, traces, keyIdOf);
  addFirstHook(app, config, adapter, standing);
  addHooks(fastify, routes, app.get(Lifecycle), logger);
  endTurns(fastify, app.get(TakeTurnsGuard));
  const metrics = app.get<Metrics | null>(Metrics);
  if (metrics) measureRequests(fastify, metrics);
  readBodies(fastify);
  routeEverything(fastify.server);
  fastify.setReplySerializer(stringifyJson);
  await allowFiles(fastify);
  serveDocs(fastify, buildDocument(app, config));
  serveUsagePage(fastify);
  await app.init();
  return app;
}

/** The adapter runs this one before its own, CORS among them. */
function addFirstHook(
  app: NestFastifyApplication,
  config: Config,
  adapter: FastifyAdapter,
  standing: StandingHeaders,
): void {
  const throttler = app.get(PlanThrottlerGuard);
  adapter.setOnRequestHook((request, reply, done) => {
    rememberReply(reply);
    standing.apply(request, reply);
    // A preflight is answered before any guard, and shows what is left all the same.
    if (isAllowedPreflight(request, config.corsOrigins))
      throttler.showAddress(request, reply).then(() => done(), done);
    else done();
  });
}

function addHooks(fastify: FastifyInstance, routes: RouteTable, lifecycle: Lifecycle, logger: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const tooLarge = headerSizeProblem(request);
    if (!tooLarge) {
      done();
      return;
    }
    // The connection goes on: requests behind this one may be under way, and would lose their answers.
    if (lifecycle.state !== 'draining') lingerFor(request, reply);
    request.errorCode = tooLarge.code;
    void reply.code(tooLarge.status).send(tooLarge.body);
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const problem = requestProblem(request);
    if (problem) done(problem, payload);
    else findMediaTypeProblem(request, payload, (found) => done(found ?? null, payload));
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // A rolling restart moves callers to another replica without cutting anyone off.
    if (lifecycle.state === 'draining') void reply.header('Connection', 'close');
    // A 204 has no length (RFC 9110, section 8.6), whatever @fastify/cors says of its own.
    if (reply.statusCode === 204) void reply.removeHeader('Content-Length');
    done(null, surfaceOf(request, routes) === 'api' ? applyEntityTag(request, reply, payload) : payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    forgetReply(reply);
    logRequest(logger, keyIdOf, request, reply);
    done();
  });
}

/** Every answer passes here once, of handlers and of the error filter alike. */
function endTurns(fastify: FastifyInstance, turns: TakeTurnsGuard): void {
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    turns.end(request);
    done(null, payload);
  });
}

function keyIdOf(request: FastifyRequest): string | undefined {
  return callerOf(request)?.key?.id;
}

/** One parser for every media type; which of them are welcome was decided before the body was read. */
function readBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    rememberRawBody(request, body);
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    try {
      done(null, parseJson(body));
    } catch (error) {
      done(error instanceof JsonSyntaxError ? malformedJson(error.message) : (error as Error), undefined);
    }
  });
}
