import type { FastifyRequest } from 'fastify';

/** Attributes of a span. Never an address, a path or text that a caller wrote. */
export type Attributes = Readonly<Record<string, string | number>>;

/** One operation within a request, such as a statement. */
export interface SpanOptions<Result> {
  name: string;
  /** Whether another server does the work. */
  isRemote?: boolean;
  attributes?: Attributes;
  /** Attributes that are known once the work has succeeded. */
  attributesOf?: (result: Result) => Attributes;
}

/**
 * Records spans of requests and of the operations within them. Injected as `Traces | null`: null unless
 * OTEL_EXPORTER_OTLP_ENDPOINT is set. This file does not load OpenTelemetry; `otlp-traces.ts` does, and only when
 * traces are on.
 */
export abstract class Traces {
  /** Starts the request's span, as a child of the caller's span where `traceparent` is valid. */
  abstract startRequest(request: FastifyRequest, name: string, attributes: Attributes): void;

  /** Ends the request's span, if it has one. `errorType` marks it as failed. */
  abstract endRequest(request: FastifyRequest, attributes: Attributes, errorType?: string): void;

  /** Runs `work` so that its spans become children of the request's span. */
  abstract runInRequest<Result>(request: FastifyRequest, work: () => Result): Result;

  /** Runs `work` in a child of the current span; without a current span, records nothing. */
  abstract span<Result>(options: SpanOptions<Result>, work: () => Promise<Result>): Promise<Result>;
}
