import type { Counter, Histogram, Registry } from 'prom-client';

/**
 * Where modules register what they measure, each its own. Injected as `Metrics | null`: null unless METRICS_PORT is set,
 * and then nothing is measured and prom-client is not even loaded. Labels take few values, and never a key, an
 * address or an id.
 */
export class Metrics {
  private readonly registry: Registry;

  constructor(private readonly prometheus: typeof import('prom-client')) {
    this.registry = new prometheus.Registry();
    // The process and its event loop.
    prometheus.collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything measured so far, in Prometheus's text format. */
  render(): Promise<string> {
    return this.registry.metrics();
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

  /** A value that is read each time somebody asks for the metrics. */
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
