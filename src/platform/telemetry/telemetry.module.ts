import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { Metrics } from './metrics/metrics.js';

/** The injection token of `Traces | null`. Import the class as a type only, because it loads OpenTelemetry. */
export const TRACES = Symbol('TRACES');

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
      provide: TRACES,
      inject: [CONFIG],
      useFactory: async ({ traces }: Config) => {
        if (traces.endpoint === undefined) return null;
        const { Traces } = await import('./tracing/traces.js');
        return new Traces(traces.endpoint);
      },
    },
    MetricsServer,
  ],
  exports: [Metrics, TRACES, MetricsServer],
})
export class TelemetryModule {}
