import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig, readConfig } from '../config/load-config.js';
import { startWorkers } from './workers.js';

const SERVERS = { DATABASE_URL: 'postgres://db.example/animals', REDIS_URL: 'redis://cache.example' };

describe('startWorkers', () => {
  let folder: string;
  let environments: NodeJS.ProcessEnv[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-workers-'));
    environments = [];
    jest.spyOn(cluster, 'fork').mockImplementation((env) => {
      environments.push(env as NodeJS.ProcessEnv);
      const worker = new EventEmitter();
      setImmediate(() => worker.emit('message', 'ready'));
      return worker as Worker;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(signal);
    rmSync(folder, { recursive: true });
  });

  it.each(['.env', 'WORKERS_FILE'])(
    'gives its workers its own number of workers when %s has changed',
    async (source) => {
      await startWorkers(loadConfig({ ...SERVERS, WORKERS: '3' }), pino({ enabled: false }));
      const path = join(folder, source);
      writeFileSync(path, source === '.env' ? 'WORKERS=1\n' : '1\n');
      const own = source === '.env' ? SERVERS : { ...SERVERS, WORKERS_FILE: path };
      expect(environments.map((env) => readConfig(folder, { ...own, ...env }).workers)).toEqual([3, 3, 3]);
    },
  );
});
