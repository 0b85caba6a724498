import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { Traces } from './traces.js';

/** Provides `Traces` to every module; null when traces are off. */
@Global()
@Module({})
export class TracesModule {
  static forService({ traces }: Config): DynamicModule {
    return withTraces(async () => {
      if (traces.endpoint === undefined) return null;
      const { OtlpTraces } = await import('./otlp-traces.js');
      return new OtlpTraces(traces.endpoint, traces);
    });
  }

  /** Commands answer no requests, so they record no traces. */
  static forCommand(): DynamicModule {
    return withTraces(() => null);
  }
}

function withTraces(useFactory: () => Promise<Traces | null> | null): DynamicModule {
  return { module: TracesModule, providers: [{ provide: Traces, useFactory }], exports: [Traces] };
}
