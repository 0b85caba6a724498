import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ApiError } from '../common/errors/api-error.js';
import { redactApiKeys } from '../common/redact.js';
import type { Metrics } from './metrics/metrics.js';
import type { Traces } from './tracing/traces.js';

/** The status that nginx logs for a connection that closed before its response. It is never sent. */
const CLOSED_BEFORE_RESPONSE = 499;
/** The route that takes unmatched requests. */
const FALLBACK_URL = '/*';
const PROBES = '/health/';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** From a refusal in memory to the longest time a request may take. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Who sent a request. The functions are given, so that telemetry imports nothing from `http/` and `auth/`. */
interface Callers {
  /** The id of the API key; undefined without a valid key. */
  keyIdOf: (request: FastifyRequest) => string | undefined;
  /** The address that a request without a valid key is counted against. */
  addressOf: (request: FastifyRequest) => string;
}

/**
 * Records every request once: a log line, its metrics and its span. A request ends when its response is sent or its connection has closed
 * before.
 */
export class RequestTelemetry {
  private readonly measure: ((request: FastifyRequest, status: number, seconds: number) => void) | undefined;
  private readonly isLogged: boolean;

  constructor(
    private readonly logger: Logger,
    metrics: Metrics | null,
    private readonly traces: Traces | null,
    private readonly callers: Callers,
  ) {
    this.measure = metrics ? requestMetrics(metrics) : undefined;
    this.isLogged = logger.isLevelEnabled('info');
  }

  /** To be called by the first hook, because a preflight reaches no other. */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    const startedMs = performance.now();
    // Node emits `close` once, after `finish` too. Fastify's onResponse does not run for a response to a closed connection.
    reply.raw.on('close', () => {
      const status = reply.raw.headersSent ? reply.statusCode : CLOSED_BEFORE_RESPONSE;
      const durationMs = performance.now() - startedMs;
      this.measure?.(request, status, durationMs / 1000);
      const keyId = this.callers.keyIdOf(request);
      if (this.traces) endSpan(request, this.traces, status, keyId);
      if (this.isLogged) this.log(request, status, durationMs, keyId);
    });
  }

  /** Traces every request except those of open routes (probes and pages). Call it before other hooks are added. */
  addHooks(fastify: FastifyInstance): void {
    const { traces } = this;
    if (!traces) return;
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (!(request.routeOptions.config as { open?: boolean }).open) startSpan(request, traces);
      done();
    });
    // Not earlier: code that runs on a socket's event has no request's context.
    fastify.addHook('preValidation', (request, _reply, done) => traces.runInRequest(request, done));
  }

  private log(request: FastifyRequest, status: number, durationMs: number, keyId: string | undefined): void {
    const route = routeLabel(request) ?? null;
    // Probes come every few seconds and say nothing while they succeed.
    const level = route?.startsWith(PROBES) ? 'debug' : 'info';
    this.logger[level](
      {
        requestId: request.id,
        caller: keyId ?? this.callers.addressOf(request),
        method: request.method,
        route,
        status,
        code: request.errorCode,
        durationMs: Math.round(durationMs * 100) / 100,
      },
      'request',
    );
  }
}

/** A message that Node's HTTP parser refused before there was a request. */
export interface ParserRefusal {
  error: ApiError;
  requestId: string;
  address: string | undefined;
}

/** Writes the line of a refused message, whose method and route are unknown. */
export function logParserRefusal(logger: Logger, { error, requestId, address }: ParserRefusal): void {
  logger.info(
    { requestId, caller: address, method: null, route: null, status: error.status, code: error.code },
    'request',
  );
}

function requestMetrics(metrics: Metrics) {
  const requests = metrics.counter(
    'http_requests_total',
    'Requests by the status of their response; 499 without one.',
    ['route', 'method', 'status'],
  );
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response or of its connection.',
    ['route', 'method'],
    BUCKETS_SECONDS,
  );
  return (request: FastifyRequest, status: number, seconds: number): void => {
    const labels = { route: routeLabel(request) ?? 'none', method: methodLabel(request) };
    requests.inc({ ...labels, status });
    durations.observe(labels, seconds);
  };
}

function startSpan(request: FastifyRequest, traces: Traces): void {
  const route = routeLabel(request);
  const method = methodLabel(request);
  traces.startRequest(request, route === undefined ? method : `${method} ${route}`, {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    // The caller's own text, which may be a key.
    'animal_store.request_id': redactApiKeys(request.id),
  });
}

function endSpan(request: FastifyRequest, traces: Traces, status: number, keyId: string | undefined): void {
  const { errorCode } = request;
  const attributes = {
    'http.response.status_code': status,
    ...(keyId !== undefined && { 'animal_store.key_id': keyId }),
    ...(errorCode !== undefined && { 'animal_store.error_code': errorCode }),
  };
  // A caller's mistake is not an error of the service.
  traces.endRequest(request, attributes, status < 500 ? undefined : (errorCode ?? String(status)));
}

/** The method as a label with few values, because a caller may send any word. */
function methodLabel({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

/** The route's pattern, never the path, because a path may hold anything. Undefined for an unmatched request. */
function routeLabel(request: FastifyRequest): string | undefined {
  const { url } = request.routeOptions;
  return url === FALLBACK_URL ? undefined : url;
}
