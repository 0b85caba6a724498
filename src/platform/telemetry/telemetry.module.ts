import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { droppedLines } from './logging/log-destination.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { Metrics } from './metrics/metrics.js';
import { tracesUrlOf } from './tracing/traces-url.js';

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
      useFactory: async ({ metrics: { port } }: Config) => {
        if (port === undefined) return null;
        const metrics = new Metrics(await import('prom-client'));
        metrics.counterOf(
          'log_lines_dropped_total',
          'Lines of the log that nothing read or that could not be written.',
          () => droppedLines.count,
        );
        return metrics;
      },
    },
    {
      provide: TRACES,
      inject: [CONFIG],
      useFactory: async ({ traces }: Config) => {
        const url = tracesUrlOf(traces);
        if (url === undefined) return null;
        const { Traces } = await import('./tracing/traces.js');
        return new Traces(url);
      },
    },
    MetricsServer,
  ],
  exports: [Metrics, TRACES, MetricsServer],
})
export class TelemetryModule {}
