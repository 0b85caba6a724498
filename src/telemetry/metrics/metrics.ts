import type { Counter, Histogram, Registry } from 'prom-client';

export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
/** What a worker sends to the primary process: at its start, when asked with SEND_METRICS, and at its end. */
export interface MetricsOfWorker {
  metrics: Snapshot;
}
export const SEND_METRICS = 'send metrics';

/**
 * The registry in which each module registers its own metrics. Injected as `Metrics | null`: null unless METRICS_PORT is
 * set; prom-client is then not loaded. A label has few values and never holds a key, an address or an id.
 */
export class Metrics {
  private readonly registry: Registry;

  constructor(private readonly prometheus: typeof import('prom-client')) {
    this.registry = new prometheus.Registry();
    // Memory, CPU and event loop of the process.
    prometheus.collectDefaultMetrics({ register: this.registry });
    // prom-client sums no start times. Of several workers the newest counts, so that the restart of any worker is visible.
    Object.assign(this.registry.getSingleMetric('process_start_time_seconds') ?? {}, { aggregator: 'max' });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus's text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  /** In a worker: resolves when the primary process has been sent these metrics. */
  async send(): Promise<void> {
    const message: MetricsOfWorker = { metrics: await this.registry.getMetricsAsJSON() };
    if (process.connected) await new Promise((resolve) => process.send?.(message, resolve));
  }

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new this.prometheus.Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new this.prometheus.Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A gauge whose value is read at each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    new this.prometheus.Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
