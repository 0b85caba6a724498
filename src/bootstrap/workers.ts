import 'reflect-metadata';
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger as NestLog } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { Lifecycle } from '../platform/common/lifecycle.js';
import type { Config } from '../platform/config/config.js';
import { NestLogger } from '../platform/telemetry/logging/logger.js';
import { MetricsServer } from '../platform/telemetry/metrics/metrics.js';
import { WorkersMetrics } from '../platform/telemetry/metrics/workers-metrics.js';
import { onStopSignals, type StopSignal } from './stop-signals.js';

const PAUSE_MS = 1_000;
/** A worker that ran for this long did not fail during its start. */
const STABLE_AFTER_MS = 30_000;

/** A worker tells the primary process that it serves. */
const READY = 'ready';
/** The primary process tells a worker that another one has taken its place. */
const REPLACED = 'replaced';

export const { isPrimary } = cluster;
/** Other workers serve on the port already, so this one listens only when it can serve too. */
export const joinsOthers = (cluster.worker?.id ?? 1) > 1;

/** Starts the workers and serves their metrics. @throws Error with one line for the operator when METRICS_PORT cannot be opened. */
export async function startWorkers(config: Config, logger: Logger): Promise<void> {
  if (config.metrics.port !== undefined) {
    NestLog.overrideLogger(new NestLogger(logger));
    await new MetricsServer(new WorkersMetrics(await import('prom-client')), config).listen();
  }
  await new Workers(config.workers, logger).start();
}

/** Tells the primary process that this worker serves, and drains when another one has taken its place. */
export function serveAsWorker(app: NestFastifyApplication): void {
  const lifecycle = app.get(Lifecycle);
  process.on('message', (message) => {
    if (message !== REPLACED) return;
    lifecycle.isReplaced = true;
    process.kill(process.pid, 'SIGTERM');
  });
  if (lifecycle.state === 'serving') process.send?.(READY);
}

/**
 * Resolves when the primary process hands out no more connections to this worker. A connection that was on its way to a worker
 * that has exited would never be answered or closed.
 */
export async function leave(): Promise<void> {
  const { worker } = cluster;
  if (!worker?.isConnected()) return;
  const left = once(worker, 'disconnect');
  worker.disconnect();
  await left;
}

/**
 * The processes that share the port. SIGTERM and SIGINT drain them all, SIGHUP replaces them one at a time. A worker that dies is
 * replaced after a pause.
 */
class Workers {
  private readonly replaced = new Set<Worker>();
  private isStopping = false;
  private isRolling = false;
  private exitCode = 0;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {}

  /** Resolves when all workers serve. The first worker starts alone; when it cannot start, the process exits. */
  async start(): Promise<void> {
    onStopSignals((signal) => this.stop(signal));
    process.on('SIGHUP', () => void this.restart());
    if (!(await this.launch())) return;
    await this.launchMissing();
    this.logger.info({ workers: this.count }, 'all workers are started');
  }

  /** A worker that drains counts as missing. */
  private async launchMissing(): Promise<void> {
    const staying = this.living().filter((worker) => !this.replaced.has(worker));
    await Promise.all(Array.from({ length: this.count - staying.length }, () => this.launch()));
  }

  /** Starts a worker. Resolves with the worker once it serves, or with undefined when it ends before. */
  private async launch(): Promise<Worker | undefined> {
    if (this.isStopping) return undefined;
    const startedAtMs = performance.now();
    let worker: Worker;
    try {
      // A worker that read another number from `.env` would not know that it is one of several, and would never say READY.
      worker = cluster.fork({ WORKERS: String(this.count), WORKERS_FILE: undefined });
    } catch (error) {
      // The system refused to create the process, for example because memory is exhausted.
      if (this.living().length === 0) throw error;
      this.logger.error({ err: error }, 'a worker cannot be created');
      this.replaceLater();
      return undefined;
    }
    const serves = await new Promise<boolean>((resolve) => {
      const onEnd = (code: number | null, signal: string | null) => {
        resolve(false);
        this.onExit(worker, code, signal, performance.now() - startedAtMs);
      };
      worker.on('error', (error) => {
        // A message to a worker that has just died fails; its exit is logged as well.
        this.logger.warn({ err: error }, 'a worker cannot be reached');
        // A process that could not be created has no exit.
        if (worker.process.pid === undefined) onEnd(1, null);
      });
      worker.on('message', (message) => {
        if (message === READY) resolve(true);
      });
      worker.on('exit', onEnd);
    });
    return serves ? worker : undefined;
  }

  private onExit(worker: Worker, code: number | null, signal: string | null, ranMs: number): void {
    const isExpected = this.isStopping || this.replaced.delete(worker);
    // A worker that has no handlers yet dies of the signal itself, and has nothing to drain.
    const isClean = code === 0 || signal === 'SIGTERM' || signal === 'SIGINT';
    if (isExpected && !isClean) this.exitCode = 1;
    if (this.living().length === 0) {
      if (this.isStopping) process.exit(this.exitCode);
      // No other worker serves, and a new one would probably fail like this one, which has logged the reason.
      if (code !== null && ranMs < STABLE_AFTER_MS) process.exit(code);
    }
    if (isExpected) return;
    this.logger.error({ pid: worker.process.pid, code, signal }, 'a worker died');
    this.replaceLater();
  }

  private replaceLater(): void {
    void pause(PAUSE_MS).then(() => this.launchMissing());
  }

  private living(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(
      (each) => each !== undefined && !each.isDead(),
    ) as Worker[];
  }

  private stop(signal: StopSignal): void {
    if (this.isStopping) return;
    this.isStopping = true;
    const workers = this.living();
    if (workers.length === 0) process.exit(0);
    for (const worker of workers) worker.process.kill(signal);
  }

  private async restart(): Promise<void> {
    if (this.isRolling) return;
    this.isRolling = true;
    let isWhole = true;
    for (const old of this.living()) {
      if (old.isDead()) continue;
      isWhole = (await this.launch()) !== undefined;
      if (!isWhole) break;
      if (old.isDead()) continue;
      this.replaced.add(old);
      // Not events.once: it rejects when the message cannot be sent, because the worker is about to exit by itself.
      const ended = new Promise((resolve) => old.process.once('exit', resolve));
      old.send(REPLACED);
      await ended;
    }
    this.isRolling = false;
    if (isWhole) this.logger.info('all workers are replaced');
    else if (!this.isStopping) this.logger.error('a new worker cannot start: the others stay');
  }
}
