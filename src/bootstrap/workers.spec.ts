import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig, readConfig } from '../platform/config/load-config.js';
import { startWorkers } from './workers.js';

const SERVERS = { DATABASE_URL: 'postgres://db.example/animals', REDIS_URL: 'redis://cache.example' };
const COUNT = 3;
const config = loadConfig({ ...SERVERS, WORKERS: String(COUNT) });
const logger = pino({ enabled: false });

/** A worker whose start and end the test decides. */
class FakeWorker extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), { kill: () => true });
  isGone = false;

  constructor(readonly env: NodeJS.ProcessEnv) {
    super();
    this.process.on('error', (error) => this.emit('error', error));
  }

  isDead(): boolean {
    return this.isGone;
  }

  send(): void {
    this.emit('replaced');
  }

  serve(): void {
    this.emit('message', 'ready');
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.isGone = true;
    this.emit('exit', code, signal);
    this.process.emit('exit', code, signal);
  }
}

describe('startWorkers', () => {
  const forks = new EventEmitter();
  let workers: FakeWorker[];
  beforeEach(() => {
    workers = [];
    jest.replaceProperty(cluster, 'workers', workers as unknown as NodeJS.Dict<Worker>);
    jest.spyOn(cluster, 'fork').mockImplementation((env) => {
      const worker = new FakeWorker(env as NodeJS.ProcessEnv);
      workers.push(worker);
      setImmediate(() => forks.emit('fork', worker));
      return worker as unknown as Worker;
    });
  });
  afterEach(() => {
    // A worker that would be forked later must not become a real process.
    process.emit('SIGTERM');
    jest.restoreAllMocks();
    forks.removeAllListeners();
    process.removeAllListeners('SIGHUP');
  });
  afterAll(() => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal);
  });

  const forked = async () => ((await once(forks, 'fork')) as [FakeWorker])[0];
  const living = () => workers.filter((worker) => !worker.isGone);
  async function started(): Promise<void> {
    forks.on('fork', (worker: FakeWorker) => worker.serve());
    await startWorkers(config, logger);
    forks.removeAllListeners();
  }

  it.each(['.env', 'WORKERS_FILE'])('keeps its number of workers when %s has changed', async (source) => {
    await started();
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-workers-'));
    const path = join(folder, source);
    writeFileSync(path, source === '.env' ? 'WORKERS=1\n' : '1\n');
    const own = source === '.env' ? SERVERS : { ...SERVERS, WORKERS_FILE: path };
    expect(workers.map(({ env }) => readConfig(folder, { ...own, ...env }).workers)).toEqual([3, 3, 3]);
    rmSync(folder, { recursive: true });
  });

  it('starts all workers after the first one was killed while it loaded', async () => {
    const starting = startWorkers(config, logger);
    (await forked()).exit(null, 'SIGKILL');
    await starting;
    await forked();
    expect(living()).toHaveLength(COUNT);
  });

  it('replaces a worker that dies while another one drains', async () => {
    await started();
    const [draining] = workers as [FakeWorker];
    const drains = once(draining, 'replaced');
    process.emit('SIGHUP');
    const fresh = await forked();
    fresh.serve();
    await drains;
    fresh.exit(1);
    await forked();
    expect(living()).toHaveLength(COUNT + 1);
    draining.exit(0);
    expect(living()).toHaveLength(COUNT);
  });

  it('goes on with a restart when a worker ends before it can be told that it is replaced', async () => {
    await started();
    const olds = [...workers];
    const [first] = olds as [FakeWorker];
    jest.spyOn(first, 'send').mockImplementation(() => {
      setImmediate(() => {
        first.process.emit('error', new Error('Channel closed'));
        first.exit(0);
      });
    });
    for (const old of olds.slice(1)) old.once('replaced', () => setImmediate(() => old.exit(0)));
    forks.on('fork', (worker: FakeWorker) => worker.serve());
    const info = jest.spyOn(logger, 'info');
    const replaced = new Promise<void>((resolve) => {
      info.mockImplementation((text: unknown) => {
        if (text === 'all workers are replaced') resolve();
      });
    });
    process.emit('SIGHUP');
    await replaced;
    expect(living()).toEqual(workers.slice(COUNT));
  });
});
