import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';

/** Provides `Metrics` to every module; null when metrics are off. */
@Global()
@Module({})
export class MetricsModule {
  static forService({ metrics }: Config): DynamicModule {
    return withMetrics(async () =>
      metrics.port === undefined ? null : new Metrics(await import('prom-client')),
    );
  }

  /** A command ends before anything could scrape it. */
  static forCommand(): DynamicModule {
    return withMetrics(() => null);
  }
}

function withMetrics(useFactory: () => Promise<Metrics | null> | null): DynamicModule {
  return {
    module: MetricsModule,
    providers: [{ provide: Metrics, useFactory }, MetricsServer],
    exports: [Metrics, MetricsServer],
  };
}
