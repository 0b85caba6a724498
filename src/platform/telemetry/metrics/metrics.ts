import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Counter, Histogram, Registry } from 'prom-client';
import { CONFIG, type Config } from '../../config/config.js';

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

type MetricsPage = Pick<Metrics, 'contentType' | 'render'>;

/** Serves GET /metrics on its own port, without keys and limits, and answers 404 to everything else. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(Metrics) private readonly metrics: MetricsPage | null,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Does nothing when metrics are off. @throws Error with one line for the operator when the port cannot be opened. */
  async listen(): Promise<void> {
    const { metrics } = this;
    if (!metrics) return;
    if (this.isWorkers(metrics)) {
      process.on('message', (message) => message === SEND_METRICS && void metrics.send());
      await metrics.send();
      return;
    }
    const { fastify } = await import('fastify');
    const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
    server.get('/metrics', async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.render()),
    );
    server.addHook('onError', async (_request, _reply, error) =>
      this.logger.error({ err: error }, 'the metrics cannot be read'),
    );
    const url = await server.listen(this.config.metrics).catch((error: unknown) => {
      throw new Error(`METRICS_PORT: metrics cannot be served: ${(error as Error).message}`, {
        cause: error,
      });
    });
    // A failure of this port must not end the service.
    server.server.on('error', (error) => this.logger.error({ err: error }, 'the metrics port failed'));
    this.server = server;
    this.logger.log({ url: `${url}/metrics` }, 'serving metrics');
  }

  // Nest calls this once the API has closed, so that its last requests can still be scraped.
  async onApplicationShutdown(): Promise<void> {
    if (this.isWorkers(this.metrics)) await this.metrics.send();
    await this.server?.close();
  }

  /** Whether this process is one of several workers. The primary process serves the metrics of all workers. */
  private isWorkers(metrics: MetricsPage | null): metrics is Metrics {
    return this.config.workers > 1 && metrics instanceof Metrics;
  }
}
