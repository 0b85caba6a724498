import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cleanUp } from '../support/clean-up.js';
import { anyKind } from '../support/databases.js';
import type { Answer } from '../support/http/client.js';
import { Service } from '../support/service.js';
import { atOnce, until } from '../support/until.js';
import { RedisServer } from './support/redis-server.js';
import { Requester } from './support/requester.js';
import { TurnedClock } from './support/turned-clock.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How much longer a window may last after a clock has been set back a little. */
const STEP_MS = MINUTE_MS;
const NOON_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const PER_MINUTE = 20;
const LANES = 4;

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const withClock = TurnedClock.isInstalled ? describe : describe.skip;

withClock.each(hasRedis ? ['a process that counts in memory', 'Redis'] : ['a process that counts in memory'])(
  'rate limits by the clock of %s',
  (owner) => {
    let clock: TurnedClock;
    let service: Service;
    let caller: Requester;

    beforeAll(async () => {
      clock = new TurnedClock();
      clock.turnTo(NOON_MS + 1_000);
      const { env } = await anyKind.create();
      service = await Service.start({ ...env, ...(owner === 'Redis' ? await startRedis() : clock.env) });
    });
    // All tests use one service, each with its own key.
    afterAll(async () => {
      const code = await service.stop();
      await cleanUp();
      expect(code).toBe(0);
    });

    async function startRedis(): Promise<Record<string, string>> {
      // Debian's Redis uses jemalloc, which reads the time before libfaketime is ready. The allocator of libc does not.
      const { url } = await RedisServer.start({
        ...clock.env,
        LD_PRELOAD: `${clock.env.LD_PRELOAD} libc.so.6`,
      });
      return { REDIS_URL: url };
    }

    const issue = async (perMinute: number, perDay: number) => {
      caller = new Requester(await service.issueKey({ perMinute, perDay }));
    };

    /** Sends one request, and checks that its windows have valid counts and ends. */
    async function sendOne(): Promise<{ status: number; dayLeft: number; reply: Answer }> {
      const before = clock.nowMs();
      const reply = await caller.send(service.url, { path: '/v1/pets?limit=1' });
      expect([200, 429]).toContain(reply.status);
      const windows = [...String(reply.headers.ratelimit).matchAll(/"(minute|day)";r=(-?\d+);t=(-?\d+)/g)];
      expect(windows.map(([, window]) => window)).toEqual(['minute', 'day']);
      const lengths: Record<string, number> = { minute: MINUTE_MS, day: DAY_MS };
      for (const [text, window, left, toGo] of windows) {
        expect(text).not.toContain('-');
        expect(Number(left)).toBeGreaterThanOrEqual(0);
        expect(Number(toGo) * 1_000).toBeLessThanOrEqual(lengths[window!]! + STEP_MS);
      }
      const resetMs = Number(reply.headers['x-ratelimit-reset']) * 1_000;
      expect(resetMs).toBeGreaterThan(before - 1_000);
      expect(resetMs).toBeLessThanOrEqual(clock.nowMs() + DAY_MS + STEP_MS + 1_000);
      return { status: reply.status, dayLeft: Number(windows[1]![2]), reply };
    }

    /** Sends requests until one is refused. Returns the number of admitted requests. */
    async function spend(): Promise<number> {
      for (let admitted = 0; ; admitted += 1) {
        const { status, reply } = await sendOne();
        if (status === 200) continue;
        const waitMs = Number(reply.headers['retry-after']) * 1_000;
        expect(waitMs).toBeGreaterThanOrEqual(1_000);
        expect(waitMs).toBeLessThanOrEqual(DAY_MS + STEP_MS);
        return admitted;
      }
    }

    it('have no frozen or negative window when it is set back an hour', async () => {
      await issue(PER_MINUTE, 1_000);
      // The clock has run since the start, maybe to the end of its minute.
      clock.turnTo(NOON_MS + 1_000);
      expect(await spend()).toBe(PER_MINUTE);
      clock.turnBy(-HOUR_MS);
      // A step of more than a window starts a new one, so that the minute is not frozen for an hour.
      expect(await spend()).toBe(PER_MINUTE);
      // The day is the same and keeps its count.
      const { dayLeft } = await sendOne();
      expect(dayLeft).toBe(1_000 - 2 * PER_MINUTE);
      clock.turnBy(MINUTE_MS);
      expect(await spend()).toBe(PER_MINUTE);

      clock.turnTo(NOON_MS + DAY_MS / 2 + HOUR_MS / 2);
      expect(await spend()).toBe(PER_MINUTE);
      clock.turnBy(-HOUR_MS);
      expect(await spend()).toBe(PER_MINUTE);
      clock.turnBy(HOUR_MS + MINUTE_MS);
      expect(await spend()).toBe(PER_MINUTE);
    });

    it('continue and end the running minute when it is set back a little', async () => {
      await issue(PER_MINUTE, 1_000);
      clock.turnTo(NOON_MS + 30_000);
      expect(await spend()).toBe(PER_MINUTE);
      clock.turnBy(-10_000);
      const { status, reply } = await sendOne();
      expect(status).toBe(429);
      clock.turnBy(Number(reply.headers['retry-after']) * 1_000);
      expect((await sendOne()).status).toBe(200);
    });

    it.each([
      ['minute', { perMinute: 200, perDay: 1_000_000 }, 200],
      ['day', { perMinute: 1_000_000, perDay: 200 }, 200],
    ])('admit the limit on both sides of the end of a %s', async (window, { perMinute, perDay }, limit) => {
      await issue(perMinute, perDay);
      const boundaryMs = NOON_MS + (window === 'day' ? DAY_MS / 2 : HOUR_MS);
      clock.turnTo(boundaryMs - 30_000);
      let admitted = 0;
      let isOver = false;
      const lane = async () => {
        while (!isOver) if ((await sendOne()).status === 200) admitted += 1;
      };
      const lanes = atOnce(LANES, lane);
      await Promise.race([lanes, until(() => admitted >= limit)]);
      // The limit of this window is exhausted. The clock now runs into the next window, before so many requests are
      // refused that the key is banned.
      clock.turnTo(boundaryMs - 100);
      await Promise.race([lanes, until(() => admitted >= 2 * limit)]);
      expect(clock.nowMs()).toBeGreaterThanOrEqual(boundaryMs);
      const { status } = await sendOne();
      isOver = true;
      await lanes;
      expect([status, admitted]).toEqual([429, 2 * limit]);
    });
  },
);
