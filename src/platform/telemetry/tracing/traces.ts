import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { ApiError } from '../../common/errors/api-error.js';

/** One operation within a request, such as a statement. An attribute is never an address, a path or text that a caller wrote. */
export interface SpanOptions<Result> {
  name: string;
  /** Whether another server does the work. */
  isRemote?: boolean;
  attributes?: Attributes;
  /** Attributes that are known once the work has succeeded. */
  attributesOf?: (result: Result) => Attributes;
}

const SERVICE_NAME = 'animal-store';
/** How long a stop waits for a collector that does not answer. */
const FLUSH_TIMEOUT_MS = 3_000;

/**
 * Records spans of requests and of the operations within them, and sends them to a collector, in batches and in the background.
 * OpenTelemetry's own instrumentation packages were considered: they patch modules at load, name spans by path and record what
 * callers write.
 */
export class Traces implements OnApplicationShutdown {
  private readonly logger = new Logger('Traces');
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  /** The span of the request or operation that the running code belongs to. */
  private readonly current = new AsyncLocalStorage<Span>();

  /** `url`: where traces are sent. */
  constructor(url: string) {
    this.provider = new TracerProvider({
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last and win.
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
        .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
      // The queue is bounded: when the collector is away, spans beyond it are dropped.
      spanProcessors: [new BatchSpanProcessor({ exporter: new LoggingExporter(url, this.logger) })],
    });
    this.tracer = this.provider.getTracer(SERVICE_NAME);
  }

  /** Starts the span of a request, as a child of the caller's span where `traceparent` is valid. */
  startRequest(traceparent: unknown, name: string, attributes: Attributes): Span {
    return this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, callerContext(traceparent));
  }

  /** Ends the span of a request. `errorType` marks it as failed. */
  endRequest(span: Span, attributes: Attributes, errorType?: string): void {
    span.setAttributes(attributes);
    if (errorType !== undefined) markFailed(span, errorType);
    span.end();
  }

  /** Runs `work` so that its spans become children of this one. */
  run(span: Span, work: () => void): void {
    this.current.run(span, work);
  }

  /** Runs `work` in a child of the current span; without a current span, records nothing. */
  async span<Result>(options: SpanOptions<Result>, work: () => Promise<Result>): Promise<Result> {
    const parent = this.current.getStore();
    // A request that is not sampled has no child spans either.
    if (!parent?.isRecording()) return work();
    const { name, isRemote, attributes, attributesOf } = options;
    const kind = isRemote ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = this.tracer.startSpan(name, { kind, attributes }, trace.setSpan(ROOT_CONTEXT, parent));
    try {
      const result = await this.current.run(span, work);
      if (attributesOf) span.setAttributes(attributesOf(result));
      return result;
    } catch (error) {
      markFailed(span, errorTypeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  // Nest calls this once the API has closed, so that the last requests are sent too.
  async onApplicationShutdown(): Promise<void> {
    // The exporter has logged a failure.
    const sent = this.provider
      .shutdown()
      .catch(() => undefined)
      .then(() => true);
    if (await Promise.race([sent, pause(FLUSH_TIMEOUT_MS, false)])) return;
    this.logger.warn('the collector did not take the last traces in time');
  }
}

/**
 * Sends JSON. Headers, certificates, timeout and compression come from OTEL_EXPORTER_OTLP_*.
 * Logs once when the collector stops accepting traces and once when it accepts them again.
 */
class LoggingExporter extends OTLPTraceExporter {
  private isAvailable = true;

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    super({ url });
    // The origin only: the rest of the URL may hold a password or a token.
    logger.log({ collector: new URL(url).origin }, 'sending traces');
  }

  override export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    super.export(spans, (result) => {
      const succeeded = result.code === ExportResultCode.SUCCESS;
      if (!succeeded && this.isAvailable) this.logger.warn({ err: result.error }, 'traces cannot be sent');
      if (succeeded && !this.isAvailable) this.logger.log('traces are sent again');
      this.isAvailable = succeeded;
      done(result);
    });
  }
}

/** The caller's span. `tracestate` is ignored, because it may hold any text. */
function callerContext(traceparent: unknown): Context {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

/** The error's class or code, not its message, which may hold a caller's text. */
function errorTypeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

function markFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
