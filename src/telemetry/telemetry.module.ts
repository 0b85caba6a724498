import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { MetricsServer, Metrics } from './metrics/metrics.js';
import { Traces } from './tracing/traces.js';

/**
 * Provides `Metrics` and `Traces` to every module; each is null when it is off. Commands do without this module: they answer
 * no requests, and end before anything could scrape them.
 */
@Global()
@Module({
  providers: [
    {
      provide: Metrics,
      inject: [CONFIG],
      useFactory: async ({ metrics }: Config) =>
        metrics.port === undefined ? null : new Metrics(await import('prom-client')),
    },
    {
      provide: Traces,
      inject: [CONFIG],
      useFactory: async ({ traces }: Config) => {
        if (traces.endpoint === undefined) return null;
        const { OtlpTraces } = await import('./tracing/otlp-traces.js');
        return new OtlpTraces(traces.endpoint, traces);
      },
    },
    MetricsServer,
  ],
  exports: [Metrics, Traces, MetricsServer],
})
export class TelemetryModule {}
