import type { FastifyRequest } from 'fastify';

/** What is told of a span: few kinds of values, and never an address, a path or what a caller wrote. */
export type Facts = Readonly<Record<string, string | number>>;

/** One step of a request's way. */
export interface Step<Result> {
  name: string;
  /** Another server does the work. */
  isRemote?: boolean;
  facts?: Facts;
  /** What is told once it has ended well. */
  factsOf?: (result: Result) => Facts;
}

/**
 * Where modules tell how a request went, step by step. Injected as `Traces | null`: null unless
 * OTEL_EXPORTER_OTLP_ENDPOINT is set, and then nothing is traced. This file loads nothing of OpenTelemetry:
 * `otlp-traces.ts` does, and is itself loaded only where it is needed.
 */
export abstract class Traces {
  /** The request's own span, a child of the caller's where there is a valid `traceparent`. */
  abstract begin(request: FastifyRequest, name: string, facts: Facts): void;

  /** `fault`: what kind of failure of ours it ended with. Does nothing for a request that was not begun. */
  abstract end(request: FastifyRequest, facts: Facts, fault?: string): void;

  /** Steps taken by `work` belong to this request. */
  abstract within<Result>(request: FastifyRequest, work: () => Result): Result;

  /** A child of whatever step or request is under way; outside of any it is only done, not told. */
  abstract step<Result>(step: Step<Result>, work: () => Promise<Result>): Promise<Result>;
}
