import type { Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { redactApiKeys } from '../common/redact.js';
import type { Metrics } from './metrics/metrics.js';
import type { Traces } from './tracing/traces.js';

/** The status that nginx logs for a connection that closed before its response. It is never sent. */
const CLOSED_BEFORE_RESPONSE = 499;
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

  /** To be called by the first hook, once `request.route` is known. Returns the span of a request that is traced. */
  watch(request: FastifyRequest, reply: FastifyReply): Span | undefined {
    const startedMs = performance.now();
    const span = this.traces ? startSpan(request, this.traces) : undefined;
    // Node emits `close` once, after `finish` too. Fastify's onResponse does not run for a response to a closed connection.
    reply.raw.on('close', () => {
      const status = reply.raw.headersSent ? reply.statusCode : CLOSED_BEFORE_RESPONSE;
      const durationMs = performance.now() - startedMs;
      this.measure?.(request, status, durationMs / 1000);
      const keyId = this.callers.keyIdOf(request);
      if (span) this.endSpan(span, request, status, keyId);
      if (this.isLogged) this.log(request, status, durationMs, keyId);
    });
    return span;
  }

  /** Goes on with the request so that statements and decisions become children of its span. */
  runIn(span: Span | undefined, next: () => void): void {
    if (span && this.traces) this.traces.run(span, next);
    else next();
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

  private endSpan(
    span: Span,
    { errorCode }: FastifyRequest,
    status: number,
    keyId: string | undefined,
  ): void {
    const attributes = {
      'http.response.status_code': status,
      ...(keyId !== undefined && { 'animal_store.key_id': keyId }),
      ...(errorCode !== undefined && { 'animal_store.error_code': errorCode }),
    };
    // A caller's mistake is not an error of the service.
    this.traces?.endRequest(span, attributes, status < 500 ? undefined : (errorCode ?? String(status)));
  }
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

/** Open routes (probes and pages) are not traced. */
function startSpan(request: FastifyRequest, traces: Traces): Span | undefined {
  if (request.route?.open) return undefined;
  const route = routeLabel(request);
  const method = methodLabel(request);
  return traces.startRequest(
    request.headers.traceparent,
    route === undefined ? method : `${method} ${route}`,
    {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      // The caller's own text, which may be a key.
      'animal_store.request_id': redactApiKeys(request.id),
    },
  );
}

/** The method as a label with few values, because a caller may send any word. */
const methodLabel = ({ method }: FastifyRequest) => (METHODS.has(method) ? method : 'other');

/** The route's pattern, never the path, because a path may hold anything. Undefined for an unmatched request. */
const routeLabel = ({ route }: FastifyRequest) => route?.url;
