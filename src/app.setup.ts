import { METHODS, type Server } from 'node:http';
import { type INestApplication, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { llmsTextOf } from './llms-text.js';
import { AUTH_ERRORS, AUTHENTICATE } from './auth/auth.errors.js';
import { ApiKeysService } from './auth/keys/api-keys.service.js';
import { PLANS, type PlanLimits } from './auth/plans.js';
import { serveClient } from './client-package.js';
import { serveConsole } from './console-page.js';
import { welcome } from './keys/demo-key.js';
import type { ErrorKind } from './platform/common/errors/error-kind.js';
import { HTTP_ERRORS } from './platform/common/errors/http.errors.js';
import { stringifyJson } from './platform/common/json.js';
import { Lifecycle } from './platform/common/lifecycle.js';
import type { Config } from './platform/config/config.js';
import { fastifyOptions } from './platform/http/http-server.js';
import { addRequestHook, addResponseHook } from './platform/http/request-hooks.js';
import { CapacityGuard } from './platform/http/requests/capacity.guard.js';
import { RouteTable } from './platform/http/requests/route-scope.js';
import { BaselineHeaders } from './platform/http/responses/baseline-headers.js';
import { Cors } from './platform/http/responses/cors.js';
import { serveContent } from './platform/http/pages/pages.js';
import { Links } from './platform/http/responses/links.js';
import { HTTP_HEADERS, type ResponseHeader } from './platform/http/responses/response-headers.js';
import { REPLAYED } from './platform/idempotency/idempotency.js';
import { serveDocs } from './platform/openapi/docs-page.js';
import { buildDocument, type Environments } from './platform/openapi/document.js';
import { NestLogger } from './platform/telemetry/logging/logger.js';
import { Metrics } from './platform/telemetry/metrics/metrics.js';
import { RequestTelemetry } from './platform/telemetry/request-telemetry.js';
import { TRACES } from './platform/telemetry/telemetry.module.js';
import type { Traces } from './platform/telemetry/tracing/traces.js';
import { clientAddressOf } from './rate-limit/client-address.js';
import { DECISION_HEADERS } from './rate-limit/limit-headers.js';
import { LIMIT_ERRORS } from './rate-limit/rate-limit.errors.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { SandboxGuard } from './sandbox/sandbox.guard.js';
import { SENT_EVENTS } from './webhooks/dto/sent-events.js';

/** The whole application, ready to listen; nothing is opened yet. */
export async function createApp(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const links = new Links(config.publicBaseUrl);
  const baseline = new BaselineHeaders(links, config);
  const adapter = new FastifyAdapter<Server>(
    fastifyOptions(config, (requestId, code) => baseline.ofRefusedMessage(requestId, code)),
  );
  const fastify = adapter.getInstance();
  // The fallback route takes every HTTP method. Fastify reads no body, because BodyGuard does.
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const routes = new RouteTable(fastify, (scope, operation) => baseline.of(scope, operation));
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI });
  addRequestHook(fastify, {
    routes,
    cors: new Cors(config.corsOrigins, RESPONSE_HEADERS),
    telemetry: telemetryOf(app, logger),
  });
  addResponseHook(fastify, { lifecycle: app.get(Lifecycle), capacity: app.get(CapacityGuard), links });
  app.get(PlanThrottlerGuard).showLimitsOn(fastify);
  fastify.setReplySerializer((payload) => stringifyJson(payload));
  const document = apiDocument(app, config);
  app.get(SandboxGuard).use(document);
  serveDocs(fastify, document, links);
  serveConsole(fastify);
  serveClient(fastify);
  serveContent(fastify, '/llms.txt', 'text/plain; charset=utf-8', llmsTextOf(document, links.root));
  await app.init();
  return app;
}

function telemetryOf(app: NestFastifyApplication, logger: Logger): RequestTelemetry {
  return new RequestTelemetry(logger, app.get<Metrics | null>(Metrics), app.get<Traces | null>(TRACES), {
    keyIdOf: (request) => request.caller?.key?.id,
    addressOf: clientAddressOf,
  });
}

/** A start on a machine of one's own says where the service is, and the first one prints a key. */
export async function beforeReady(app: NestFastifyApplication, config: Config, url: string): Promise<void> {
  const isTrial = config.database.server === undefined && !config.production;
  if (isTrial) await welcome(app.get(ApiKeysService), url);
}

/** Every response header of the API: CORS exposes them, and the document declares them. */
export const RESPONSE_HEADERS: readonly ResponseHeader[] = [
  ...HTTP_HEADERS,
  ...DECISION_HEADERS,
  REPLAYED,
  AUTHENTICATE,
];

/** What every operation may answer. */
const COMMON_ERRORS: readonly ErrorKind[] = [
  HTTP_ERRORS.bad_request,
  HTTP_ERRORS.invalid_parameter,
  AUTH_ERRORS.missing_api_key,
  AUTH_ERRORS.invalid_api_key,
  HTTP_ERRORS.request_timeout,
  LIMIT_ERRORS.rate_limit_exceeded,
  LIMIT_ERRORS.api_key_banned,
  HTTP_ERRORS.headers_too_large,
  HTTP_ERRORS.internal_error,
  HTTP_ERRORS.service_unavailable,
];

const TAGS = {
  Pets: 'The catalogue of animals.',
  Store: 'Orders of animals.',
  Events: 'What happened, as a feed that a reader follows and as webhooks.',
  Keys: 'API keys: issue, change and revoke them.',
  Limits: 'What is left of the limits, and what was used.',
};

/** `docs`: the address of the documentation. */
const descriptionOf = (
  docs: string,
) => `An HTTP API for a store of animals: a catalogue, orders, and what is left of the limits of a key.

- **New here?** [Get started](${docs}/start) leads from a key to the first order.
- **Keys.** Every operation needs an API key: \`Authorization: Bearer ask_…\`. The store issues keys: ask the people who run it.
  On your own machine the first start prints a demo key.
- **Limits.** A key has a plan, see below. Every response shows what is left: \`X-RateLimit-Remaining: 59\`. A 429 says when to
  retry: \`Retry-After: 12\`. A key that goes on regardless is banned for 10 minutes, and longer each time.
- **Identifiers** are int64 and exact JSON numbers. Read them with a parser that keeps all digits.
- **Errors** are \`{"code": …, "message": …, "status": …}\`. [Every code](${docs}/errors) has a meaning and a remedy, and an error's
  \`Link\` leads there. A later release may add a code: a client that meets an unknown one goes by the status.
- **Retries.** A POST with an \`Idempotency-Key\` is safe to repeat for 24 hours.
- **Stability.** \`stable\` operations only gain, \`beta\` ones break with 90 days' notice, \`experimental\` ones without
  ([versioning](${docs}/versioning), [changelog](${docs}/changelog)).
- **Questions**, such as "401 although the key is right", have [answers](${docs}/faq).

| Plan | Requests a minute | Requests a UTC day |
| --- | --- | --- |
${Object.entries(PLANS).map(planRow).join('\n')}`;

function planRow([name, limits]: [string, PlanLimits | null]): string {
  const [perMinute, perDay] = [limits?.perMinute, limits?.perDay].map(
    (limit) => limit?.toLocaleString('en-US') ?? 'set on the key',
  );
  return `| ${name} | ${String(perMinute)} | ${String(perDay)} |`;
}

const SANDBOX_NOTE = `

**This is a sandbox.** \`Prefer: code=429\` makes any operation answer that documented error, with its real headers and body, and change nothing. Where a
status has several codes, \`example\` chooses: \`Prefer: code=429, example=api_key_banned\`. Every response says \`X-Sandbox: true\`.`;

/** The OpenAPI document of the animal store. */
export function apiDocument(
  app: INestApplication,
  environments: Environments & Partial<Pick<Config, 'sandbox'>>,
): OpenAPIObject {
  const { docs } = new Links(environments.publicBaseUrl);
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ask_…',
    description: 'An API key: `ask_…`.',
  } as const;
  const builder = new DocumentBuilder()
    .setTitle('Animal store')
    .setVersion('1.0.0')
    .setDescription(descriptionOf(docs) + (environments.sandbox ? SANDBOX_NOTE : ''))
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth(bearer, 'apiKey');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const document = buildDocument(app, builder, RESPONSE_HEADERS, COMMON_ERRORS, environments);
  return document.paths['/webhooks'] ? { ...document, webhooks: SENT_EVENTS } : document;
}
