import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import { RequestSlot } from '../common/http/request-slot.js';
import { redactApiKeys } from '../common/redact.js';
import type { Config } from '../config/config.js';
import { createExporter } from './otlp-exporter.js';
import { createSampler } from './trace-sampler.js';
import { Traces, type Facts, type Step } from './traces.js';

const SERVICE_NAME = 'animal-store';
/** What a stop may wait for a collector that does not answer. */
const FLUSH_WITHIN_MS = 3_000;

/** Sends spans to a collector, in batches and in the background. */
export class OtlpTraces extends Traces implements OnApplicationShutdown {
  private readonly logger = new Logger('Traces');
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly requests = new RequestSlot<Span>('span');
  /** The span of the step or request that the running code is part of. */
  private readonly running = new AsyncLocalStorage<Span>();

  constructor(endpoint: string, { sampler, sampledShare }: Config['traces']) {
    super();
    const exporter = createExporter(endpoint, this.logger);
    this.provider = new TracerProvider({
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last and win.
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
        .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
      sampler: createSampler(sampler, sampledShare),
      // A full queue drops spans: a collector that is away costs no more memory than that.
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    this.tracer = this.provider.getTracer(SERVICE_NAME);
  }

  override begin(request: FastifyRequest, name: string, facts: Facts): void {
    const options = { kind: SpanKind.SERVER, attributes: safe(facts) };
    this.requests.set(request, this.tracer.startSpan(name, options, callersContext(request)));
  }

  override end(request: FastifyRequest, facts: Facts, fault?: string): void {
    const span = this.requests.get(request);
    if (!span?.isRecording()) return;
    span.setAttributes(safe(facts));
    if (fault !== undefined) fail(span, fault);
    span.end();
  }

  override within<Result>(request: FastifyRequest, work: () => Result): Result {
    const span = this.requests.get(request);
    return span ? this.running.run(span, work) : work();
  }

  override async step<Result>(step: Step<Result>, work: () => Promise<Result>): Promise<Result> {
    const parent = this.running.getStore();
    // Of a request that the sampler passed over, no step is told either.
    if (!parent?.isRecording()) return work();
    const kind = step.isRemote ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const options = { kind, attributes: safe(step.facts ?? {}) };
    const span = this.tracer.startSpan(step.name, options, trace.setSpan(ROOT_CONTEXT, parent));
    try {
      const result = await this.running.run(span, work);
      if (step.factsOf) span.setAttributes(safe(step.factsOf(result)));
      return result;
    } catch (error) {
      fail(span, kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  // Nest calls this once the API has closed, so that the last requests are told of too.
  async onApplicationShutdown(): Promise<void> {
    const sent = this.provider.shutdown().then(
      () => true,
      // The exporter has said so.
      () => true,
    );
    if (await Promise.race([sent, pause(FLUSH_WITHIN_MS, false)])) return;
    this.logger.warn('the last traces were not taken in time');
  }
}

/**
 * Where the caller's own trace goes on here. `tracestate` is not passed on: it may hold whatever a caller writes.
 */
function callersContext(request: FastifyRequest): Context {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

/** A request id is the caller's own text, and may be a key. */
function safe(facts: Facts): Facts {
  const entries = Object.entries(facts);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? redactApiKeys(value) : value]),
  );
}

/** The kind only: a message may hold what a caller wrote. */
function kindOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

function fail(span: Span, fault: string): void {
  span.setAttribute('error.type', fault);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
