import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type MetricsOfWorker, SEND_METRICS, type Snapshot } from './metrics.js';

/** A worker that does not answer in time counts with its last metrics. */
const ANSWER_WITHIN_MS = 2_000;
const COUNTED = new Set(['counter', 'histogram']);

/** The sum of the metrics of all workers, which the primary process serves. It includes ended workers, so that no counter decreases. */
export class WorkersMetrics {
  private readonly registry: typeof import('prom-client').AggregatorRegistry;
  readonly contentType: string;
  /** By the worker's id. */
  private readonly last = new Map<number, Snapshot>();
  private ofEnded: Snapshot = [];

  constructor(prometheus: typeof import('prom-client')) {
    this.registry = prometheus.AggregatorRegistry;
    this.contentType = new prometheus.Registry().contentType;
    cluster.on('message', (worker, message: Partial<MetricsOfWorker>) => {
      if (message.metrics) this.last.set(worker.id, message.metrics);
    });
  }

  /** All metrics in Prometheus's text format. */
  async render(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined);
    // A worker answers once it has sent its first metrics.
    await Promise.all(workers.filter(({ id }) => this.last.has(id)).map(refresh));
    for (const [id, metrics] of this.last) {
      if (cluster.workers?.[id]) continue;
      this.last.delete(id);
      const counted = metrics.filter(({ type }) => COUNTED.has(String(type)));
      this.ofEnded = this.registry
        .aggregate([this.ofEnded, counted])
        .getMetricsAsArray() as unknown as Snapshot;
    }
    return this.registry.aggregate([this.ofEnded, ...this.last.values()]).metrics();
  }
}

/** Resolves when the worker has sent its metrics, has ended or takes too long. */
async function refresh(worker: Worker): Promise<void> {
  if (!worker.isConnected()) return;
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const ends = ['message', 'disconnect'].map((event) => once(worker, event, { signal }));
  worker.send(SEND_METRICS);
  await Promise.race(ends).catch(() => undefined);
}
