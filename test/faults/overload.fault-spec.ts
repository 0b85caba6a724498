import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { call } from '../support/client.js';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { reportFigures } from '../support/figures.js';
import { percentileMs, putLoad, putLoadFromOutside, statusesOf } from '../support/load.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const CONNECTIONS = 1_000;
const postgresql = databaseKinds.filter(({ name }) => name === 'postgresql');

/** Resident memory of a process, as the kernel counts it. */
function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

describe.each(postgresql)('overload on $name', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start(database.env);
    key = await service.issueKey();
    // What it can serve is thus the same on any machine: eight connections, each taken for 200 ms a request.
    await onDatabase(
      database,
      `insert into pets (name, category_id, status) values ('Rex', 7, 'available');
      alter table pets rename to pets_behind;
      create view pets as with slow as materialized (select pg_sleep(0.2)) select pets_behind.* from slow, pets_behind`,
    );
  });
  afterAll(async () => {
    await Service.killAll();
    await database.drop();
  });

  const path = '/v1/pets?limit=20';
  const usedToday = async () => {
    const { headers } = await call(service.url, { path: '/v1/rate-limit', key });
    return 1_000_000_000 - Number(/"day";r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  };

  /** Asks for health again and again: the slowest answer and every status. */
  function watchHealth() {
    const seen = { slowestMs: 0, statuses: new Set<number>(), strangers: new Set<number>() };
    let isOver = false;
    const watching = until(async () => {
      for (const health of ['/health/live', '/health/ready']) {
        const begun = performance.now();
        seen.statuses.add((await call(service.url, { path: health })).status);
        seen.slowestMs = Math.round(Math.max(seen.slowestMs, performance.now() - begun));
      }
      seen.strangers.add((await call(service.url, { path })).status);
      return isOver;
    });
    return async () => {
      isOver = true;
      await watching;
      return seen;
    };
  }

  it('of 1,000 connections: some are turned away, none hangs, the served are served in time', async () => {
    const calm = await putLoad(service.url, { path, key, connections: 8, forMs: 2_000 });
    expect(Object.keys(statusesOf(calm.samples))).toEqual(['200']);
    const capacity = calm.samples.length / 2;
    const memoryBeforeMb = residentMb(service.pid);
    const usedBefore = await usedToday();

    const stopWatching = watchHealth();
    const { samples, hanging } = await putLoadFromOutside(service.url, {
      path,
      key,
      connections: CONNECTIONS,
      forMs: 6_000,
    });
    const endedMs = performance.now();
    const health = await stopWatching();
    const memoryMb = residentMb(service.pid);

    const served = samples.filter(({ status }) => status === 200);
    const refused = samples.filter(({ status }) => status === 503);
    const normalMs = await until(async () => {
      const { samples: few } = await putLoad(service.url, { path, key, connections: 4, forMs: 500 });
      const isNormal = few.every(({ status }) => status === 200) && percentileMs(few, 0.5) < 500;
      return isNormal && Math.round(performance.now() - endedMs);
    });
    reportFigures('overload', {
      'capacity /s': Math.round(capacity),
      'offered /s': Math.round(samples.length / 6),
      'served /s': Math.round(served.length / 6),
      refused: refused.length,
      'p99 served ms': percentileMs(served, 0.99),
      'slowest ms': percentileMs(samples, 1),
      'slowest health ms': health.slowestMs,
      'memory before MB': memoryBeforeMb,
      'memory MB': memoryMb,
      'normal after ms': normalMs,
    });
    expect(hanging).toBe(0);
    expect(Object.keys(statusesOf(samples))).toEqual(['200', '503']);
    expect(samples.length / 6).toBeGreaterThan(10 * capacity);
    // What it can do, it goes on doing.
    expect(served.length / 6).toBeGreaterThan(capacity / 2);
    expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toEqual(new Set(['1']));
    expect(percentileMs(served, 0.99)).toBeLessThan(2_000);
    expect(health.statuses).toEqual(new Set([200]));
    expect(health.strangers).toEqual(new Set([401]));
    expect(memoryMb).toBeLessThan(512);
    expect(normalMs).toBeLessThan(5_000);
    expect(usedBefore).toBe(calm.samples.length);
  });

  it('counts what it turns away, shows what is left, and tells the log once', async () => {
    const usedBefore = await usedToday();
    const loading = putLoad(service.url, { path, key, connections: 200, forMs: 2_000 });
    const refused = await until(async () => {
      const answer = await call(service.url, { path, key });
      return answer.status === 503 && answer;
    });
    expect(refused.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect(Number(refused.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    const { samples } = await loading;
    expect(await usedToday()).toBeGreaterThanOrEqual(usedBefore + samples.length);
    await service.untilLogged('no longer overloaded');
    expect(
      service.log.filter(({ msg }) => msg === 'overloaded: requests are turned away with 503'),
    ).toHaveLength(1);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
