import type { Counter, Histogram, Registry } from 'prom-client';

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
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus's text format. */
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

  /** A counter whose total is read at each scrape. */
  counterOf(name: string, help: string, read: () => number): void {
    new this.prometheus.Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** As `gauge`, with one series for each value of a label. */
  gaugeBy(name: string, help: string, label: string, read: () => Record<string, number>): void {
    new this.prometheus.Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        for (const [value, count] of Object.entries(read())) this.set({ [label]: value }, count);
      },
    });
  }
}
