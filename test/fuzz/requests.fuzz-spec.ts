import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { residentMb } from '../support/tools/resident-mb.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { abusiveRequest } from './arbitraries.js';
import { REGRESSIONS } from './regressions.js';
import { failuresOf, KEY_LIMITS, SEED } from './runs.js';
import { Worker } from './worker.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 100_000);
const WORKERS = 24;
/** Unbounded growth exhausts this heap on any machine. */
const MAX_HEAP_MIB = 192;
const MAX_RESIDENT_MB = 400;

describe('the service under fuzzed requests', () => {
  let database: TestDatabase;
  let service: Service;
  let workers: Worker[];
  let filesAtFirst: number;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    // Counted in memory, because one late response of Redis would make the counts inexact.
    service = await Service.start({ ...database.env, NODE_OPTIONS: `--max-old-space-size=${MAX_HEAP_MIB}` });
    filesAtFirst = openFiles(service.pid);
    const own = await issueKeys(database, WORKERS, KEY_LIMITS);
    const readers = await issueKeys(database, WORKERS, { ...KEY_LIMITS, readOnly: true });
    workers = own.map(({ key }, at) => new Worker(service.url, at, { own: key, reader: readers[at]!.key }));
  });
  afterAll(async () => {
    for (const worker of workers) worker.close();
    await service.stop();
    await database.drop();
  });

  it(`answers ${REQUESTS} random requests correctly and keeps running`, async () => {
    console.log(`seed ${SEED}, ${REQUESTS} requests, ${WORKERS} at a time; repeat with FUZZ_SEED=${SEED}`);
    const startedAt = performance.now();
    let peakMb = 0;
    const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(service.pid))), 500);
    const failures = await failuresOf(workers, (worker, seed) =>
      fc.assert(
        fc.asyncProperty(abusiveRequest, (request) => worker.send(request)),
        {
          seed,
          numRuns: Math.ceil(REQUESTS / WORKERS) + REGRESSIONS.length,
          examples: REGRESSIONS.map((request) => [request]),
        },
      ),
    );
    clearInterval(watch);
    const seconds = (performance.now() - startedAt) / 1_000;
    const sent = workers.reduce((sum, { requests }) => sum + requests, 0);
    const peak = `${peakMb.toFixed(0)} MB resident`;
    console.log(`${sent} requests in ${seconds.toFixed(0)} s, at most ${peak}`);
    expect(failures).toEqual([]);
    expect(service.exitCode).toBeNull();
    expect((await call(service.url, { path: '/health/ready' })).status).toBe(200);
    expect(peakMb).toBeLessThan(MAX_RESIDENT_MB);
  }, 900_000);

  it('records exactly the usage that the responses show', async () => {
    for (const { secrets, ledger } of workers) {
      // This request is counted too, and its own response may or may not include it.
      let spent = ledger.charged.own;
      const admitted = await until(async () => {
        spent += 1;
        const { body } = await call(service.url, { path: '/v1/usage?days=2', key: secrets.own });
        const sum = (body as { admitted: bigint }[]).reduce((total, day) => total + Number(day.admitted), 0);
        return sum >= spent - 1 && sum;
      });
      expect(admitted).toBeLessThanOrEqual(spent);
    }
  });

  it('logs no key and no control character', () => {
    for (const { secrets } of workers) {
      for (const key of [secrets.own, secrets.reader]) {
        expect(service.stdout.includes(key.slice(4))).toBe(false);
        expect(service.stderr.includes(key.slice(4))).toBe(false);
      }
    }
    expect(service.stderr).toBe('');
    expect(service.log.filter(holdsControlCharacters)).toEqual([]);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  it('closes the connections of disconnected callers', async () => {
    for (const worker of workers) worker.close();
    await until(() => openFiles(service.pid) < filesAtFirst + WORKERS);
  });
});

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

function holdsControlCharacters(line: Record<string, unknown>): boolean {
  return Object.values(line).some((value) => typeof value === 'string' && /\p{Cc}/u.test(value));
}
