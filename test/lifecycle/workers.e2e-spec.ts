import { beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type Call } from '../support/http/client.js';
import { scrape, valueOf } from '../support/http/metrics.js';
import { type TestDatabase } from '../support/databases.js';
import { describeOnServers, type TestRedis } from '../support/servers/redis.js';
import { preload } from '../support/preload.js';
import { Service } from '../support/service.js';
import { atOnce, until, untilMinuteHasRoom } from '../support/until.js';

const WORKERS = 2;
const READS = 'http_requests_total{route="/v1/pets",method="GET",status="200"}';

/** The process ids of the workers. */
function workersOf({ pid }: Service): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** Waits until the metrics show this many reads, because a response is counted after it is sent. Resolves with the count. */
function readsOf(service: Service, atLeast: number): Promise<number> {
  return until(async () => {
    const reads = valueOf(await scrape(service), READS);
    return reads !== undefined && reads >= atLeast && reads;
  });
}

/** Sends requests on new connections until `done` resolves. Returns the number of responses of each status. */
async function callUntil(
  service: Service,
  options: Call,
  done: Promise<unknown>,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let isDone = false;
  const caller = async () => {
    while (!isDone) {
      const { status } = await service.call(options);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const callers = atOnce(4, caller);
  await Promise.race([done, callers]);
  isDone = true;
  await callers;
  return statuses;
}

describeOnServers('a service with several workers', (kind, inRedis) => {
  let database: TestDatabase;
  let redis: TestRedis;
  let service: Service;
  let key: string;
  beforeAll(async () => {
    [database, redis] = await Promise.all([kind.create(), inRedis.create()]);
    service = await Service.start({
      ...database.env,
      ...redis.env,
      WORKERS: String(WORKERS),
      METRICS_PORT: '0',
      SHUTDOWN_DELAY_MS: '1000',
    });
    await service.untilLogged('all workers are started');
    key = await service.issueKey();
  });

  it('admits exactly the limit of a key, and exposes the sums of all workers', async () => {
    const limited = await service.issueKey({ perMinute: 50, perDay: 1_000 });
    await untilMinuteHasRoom();
    const answers = await atOnce(200, () => service.call({ path: '/v1/pets', key: limited }));
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150);
    expect(await readsOf(service, 50)).toBe(50);
    // All workers write whole lines to one log, after their responses.
    expect(service.logged('listening')).toHaveLength(WORKERS);
    const requests = () => service.logged('request').filter(({ route }) => route === '/v1/pets');
    await until(() => requests().length >= 200);
    expect(requests()).toHaveLength(200);
  });

  it('replaces killed workers without a decrease of counters', async () => {
    const readsBefore = await readsOf(service, 1);
    const before = workersOf(service);
    // Each of them in turn, because one may have served no request.
    for (const [at, pid] of before.entries()) {
      process.kill(pid, 'SIGKILL');
      await until(() => service.logged('ready').length === WORKERS + at + 1);
    }
    expect(service.logged('a worker died')).toHaveLength(WORKERS);
    const after = workersOf(service);
    expect(after).toHaveLength(WORKERS);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    const answers = await atOnce(30, () => service.call({ path: '/v1/pets', key }));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await readsOf(service, readsBefore + 30)).toBe(readsBefore + 30);
  });

  it('replaces all workers on SIGHUP without a failed or uncounted request, and stays ready', async () => {
    const readsBefore = await readsOf(service, 1);
    const before = workersOf(service);
    service.signal('SIGHUP');
    const done = service.untilLogged('all workers are replaced');
    const [statuses, probes] = await Promise.all([
      callUntil(service, { path: '/v1/pets', key }, done),
      callUntil(service, { path: '/health/ready' }, done),
    ]);
    expect([statuses, probes].map(Object.keys)).toEqual([['200'], ['200']]);
    const after = workersOf(service);
    expect(after).toHaveLength(WORKERS);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    const reads = readsBefore + statuses[200]!;
    expect(await readsOf(service, reads)).toBe(reads);
  });

  it('stops all workers on SIGTERM and exits with 0', async () => {
    const workers = workersOf(service);
    const stopped = service.logged('stopped').length;
    expect(await service.stop()).toBe(0);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(service.logged('stopped')).toHaveLength(stopped + WORKERS);
  });

  it('starts another worker when one fails to start and one cannot be created', async () => {
    const failsTwice = preload(`
        import { ChildProcess } from 'node:child_process';
        const { spawn } = ChildProcess.prototype;
        let processes = 0;
        ChildProcess.prototype.spawn = function (options) {
          processes += 1;
          if (processes === 2) options.file = '/missing';
          if (processes === 3) throw new Error('spawn ENOMEM');
          return spawn.call(this, options);
        };
      `);
    const starting = await Service.start({ ...service.env, ...failsTwice });
    await until(() => starting.logged('ready').length === WORKERS);
    expect(workersOf(starting)).toHaveLength(WORKERS);
  });

  it('exits with 0 on a signal that arrives while the first worker loads', async () => {
    // The worker waits for the signal, which it does not handle yet, and which ends it.
    const signalled = preload(`
        import cluster from 'node:cluster';
        if (cluster.isWorker) {
          process.kill(process.ppid, 'SIGTERM');
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        }
      `);
    const loading = new Service({ ...service.env, ...signalled });
    expect(await loading.ended()).toBe(0);
  });
});
