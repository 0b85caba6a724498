import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import type { Counters, SeedOptions } from './counters.js';
import type { Subject } from './decision.js';
import { DAY_MS, MINUTE_MS } from './limit-windows.js';
import { MemoryCounters } from './memory-counters.js';
import { connectRedis, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';

/** Ten hours into a day, at the start of a minute and of ten. */
const START_MS = Date.UTC(2026, 10, 20, 10);

class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

type CreateCounters = (clock: TurnedClock, seeding?: SeedOptions) => Counters;

function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, canBeBanned: true, ban: null, forgivenAtMs: 0 };
  return { id: `key:${randomUUID()}`, ...limits, ...changes };
}

async function outcomes(counters: Counters, subject: Subject, count: number): Promise<string[]> {
  const decisions = await Promise.all(Array.from({ length: count }, () => counters.decide(subject)));
  return decisions.map((decision) => decision.outcome);
}

async function admittedOf(counters: Counters, subject: Subject, count: number): Promise<number> {
  return (await outcomes(counters, subject, count)).filter((outcome) => outcome === 'admitted').length;
}

/** What every store does, whatever keeps its numbers. */
function behavesAsCounters(create: CreateCounters): void {
  it('counts an admitted request in both windows', async () => {
    const counters = create(new TurnedClock());
    expect(await counters.decide(keySubject())).toEqual({
      outcome: 'admitted',
      nowMs: START_MS,
      windows: [
        { name: 'minute', limit: 3, used: 1, remaining: 2, resetAtMs: START_MS + MINUTE_MS },
        { name: 'day', limit: 100, used: 1, remaining: 99, resetAtMs: Date.UTC(2026, 10, 21) },
      ],
      bannedUntilMs: null,
      startedBan: null,
    });
  });

  it('admits exactly the limit of simultaneous requests, each told what was left after it', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    const decisions = await Promise.all(Array.from({ length: 5 }, () => counters.decide(subject)));
    expect(decisions.map(({ outcome, windows }) => [outcome, windows[0]?.remaining])).toEqual([
      ['admitted', 2],
      ['admitted', 1],
      ['admitted', 0],
      ['refused', 0],
      ['refused', 0],
    ]);
  });

  it('counts a request refused by one window in neither', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject({ perDay: 5 });
    await outcomes(counters, subject, 10);
    expect((await counters.peek(subject)).windows.map((window) => window.used)).toEqual([3, 3]);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, subject, 10)).toBe(2);
    expect((await counters.peek(subject)).windows.map((window) => window.used)).toEqual([2, 5]);
  });

  it('keeps the day when the minute ends, and neither when the day ends', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject({ perDay: 4 });
    expect(await admittedOf(counters, subject, 5)).toBe(3);
    clock.ms += MINUTE_MS - 1;
    expect(await admittedOf(counters, subject, 5)).toBe(0);
    clock.ms += 1;
    expect(await admittedOf(counters, subject, 5)).toBe(1);
    clock.ms = Date.UTC(2026, 10, 21);
    expect(await admittedOf(counters, subject, 5)).toBe(3);
  });

  it('never mixes up subjects', async () => {
    const counters = create(new TurnedClock());
    const subjects = Array.from({ length: 150 }, () => keySubject({ perMinute: 2 }));
    const all = await Promise.all(
      [...subjects, ...subjects, ...subjects].map((each) => counters.decide(each)),
    );
    expect(all.filter((decision) => decision.outcome === 'admitted')).toHaveLength(300);
    expect(all.slice(300).every((decision) => decision.outcome === 'refused')).toBe(true);
  });

  it('gives strangers a minute, no day and no ban', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const stranger = keySubject({ id: `address:${randomUUID()}`, perDay: null, canBeBanned: false });
    expect(await outcomes(counters, stranger, 100)).toEqual([
      ...Array<string>(3).fill('admitted'),
      ...Array<string>(97).fill('refused'),
    ]);
    expect((await counters.peek(stranger)).windows).toHaveLength(1);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, stranger, 5)).toBe(3);
  });

  it('peeks free of charge', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject({ perMinute: 1 });
    await counters.peek(subject);
    expect((await counters.peek(subject)).outcome).toBe('admitted');
    await counters.decide(subject);
    const exhausted = await counters.peek(subject);
    expect([exhausted.outcome, exhausted.windows[0]?.remaining]).toEqual(['refused', 0]);
  });

  it('applies new limits to the running windows', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    await outcomes(counters, subject, 3);
    expect(await admittedOf(counters, { ...subject, perMinute: 5 }, 10)).toBe(2);
    const lowered = await counters.decide({ ...subject, perMinute: 2, perDay: 4 });
    expect(lowered.outcome).toBe('refused');
    expect(lowered.windows.map(({ used, remaining }) => [used, remaining])).toEqual([
      [5, 0],
      [5, 0],
    ]);
  });

  describe('bans', () => {
    const limit = 3;
    const refusals = 10 * limit;

    async function banned(counters: Counters, subject: Subject): Promise<void> {
      expect((await outcomes(counters, subject, limit + refusals + 1)).at(-1)).toBe('banned');
    }

    it('start with the refusal above ten times the limit, told once', async () => {
      const counters = create(new TurnedClock());
      const subject = keySubject();
      const decisions = await Promise.all(
        Array.from({ length: limit + refusals + 3 }, () => counters.decide(subject)),
      );
      const untilMs = START_MS + 600_000;
      expect(decisions.map((decision) => decision.outcome)).toEqual([
        ...Array<string>(limit).fill('admitted'),
        ...Array<string>(refusals).fill('refused'),
        ...Array<string>(3).fill('banned'),
      ]);
      expect(decisions.filter((decision) => decision.startedBan)).toHaveLength(1);
      expect(decisions[limit + refusals]?.startedBan).toEqual({ untilMs, lastedMs: 600_000 });
      expect(decisions.map((decision) => decision.bannedUntilMs).slice(-4)).toEqual([
        null,
        untilMs,
        untilMs,
        untilMs,
      ]);
    });

    it('count refusals over both windows, ten minutes long', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const subject = keySubject({ perDay: 4 });
      await outcomes(counters, subject, limit + 20);
      clock.ms += MINUTE_MS;
      expect(await outcomes(counters, subject, 1 + 10)).not.toContain('banned');
      clock.ms += 9 * MINUTE_MS;
      expect(await outcomes(counters, subject, refusals)).not.toContain('banned');
      expect((await counters.decide(subject)).outcome).toBe('banned');
    });

    it('count nothing while they last, and end on the millisecond', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const subject = keySubject();
      await banned(counters, subject);
      clock.ms += 600_000 - 1;
      expect(new Set(await outcomes(counters, subject, 200))).toEqual(new Set(['banned']));
      expect((await counters.peek(subject)).windows.map((window) => window.used)).toEqual([0, limit]);
      clock.ms += 1;
      expect(await outcomes(counters, subject, limit + refusals)).not.toContain('banned');
    });

    it('double within a day of the last end', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const subject = keySubject({ perDay: 1_000 });
      await banned(counters, subject);
      clock.ms += 600_000 + DAY_MS;
      const decisions = await Promise.all(
        Array.from({ length: limit + refusals + 1 }, () => counters.decide(subject)),
      );
      expect(decisions.at(-1)?.startedBan?.lastedMs).toBe(1_200_000);
      clock.ms += 1_200_000 + DAY_MS + 1;
      const later = await Promise.all(
        Array.from({ length: limit + refusals + 1 }, () => counters.decide(subject)),
      );
      expect(later.at(-1)?.startedBan?.lastedMs).toBe(600_000);
    });

    it('hold when only the key row knows of them, doubling included', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const untilMs = START_MS + 1_000;
      const subject = keySubject({ ban: { untilMs, lastedMs: 1_200_000 } });
      expect(await counters.decide(subject)).toMatchObject({
        outcome: 'banned',
        bannedUntilMs: untilMs,
        startedBan: null,
      });
      clock.ms = untilMs;
      const decisions = await Promise.all(
        Array.from({ length: limit + refusals + 1 }, () => counters.decide(subject)),
      );
      expect(decisions.at(-1)?.startedBan?.lastedMs).toBe(2_400_000);
    });

    it('end at once when forgiven, with refusals and doubling, whatever the clocks say', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const subject = keySubject();
      await banned(counters, subject);
      // The mark comes from another clock, which may be behind.
      const forgiven = { ...subject, forgivenAtMs: START_MS - 5_000 };
      expect((await counters.decide(forgiven)).outcome).toBe('refused');
      expect(await outcomes(counters, forgiven, refusals - 1)).not.toContain('banned');
      expect((await counters.decide(forgiven)).startedBan?.lastedMs).toBe(600_000);
    });

    it('are not brought back by the row of a ban that was forgiven', async () => {
      const counters = create(new TurnedClock());
      const ban = { untilMs: START_MS + 500_000, lastedMs: 600_000 };
      expect((await counters.decide(keySubject({ ban, forgivenAtMs: START_MS }))).outcome).toBe('admitted');
    });
  });

  describe('a clock turned back', () => {
    it('lets a running window run on, and ends it when it said', async () => {
      const clock = new TurnedClock();
      const counters = create(clock);
      const subject = keySubject();
      await outcomes(counters, subject, 3);
      clock.ms -= 30_000;
      const refused = await counters.decide(subject);
      expect([refused.outcome, refused.windows[0]?.resetAtMs]).toEqual(['refused', START_MS + MINUTE_MS]);
      clock.ms = START_MS + MINUTE_MS;
      expect((await counters.decide(subject)).outcome).toBe('admitted');
    });

    it('freezes no window and no ban when it was far ahead', async () => {
      const clock = new TurnedClock(START_MS + 400 * DAY_MS);
      const counters = create(clock);
      const subject = keySubject();
      await outcomes(counters, subject, 100);
      clock.ms = START_MS;
      expect(await admittedOf(counters, subject, 3)).toBe(3);
      const { windows } = await counters.peek(subject);
      expect(windows.map((window) => window.resetAtMs)).toEqual([
        START_MS + MINUTE_MS,
        Date.UTC(2026, 10, 21),
      ]);
    });
  });

  describe('seeding', () => {
    it('starts the day from the recorded count, read once for all who ask', async () => {
      const reads: unknown[] = [];
      const seedDay = (...read: unknown[]) => Promise.resolve(reads.push(read)).then(() => 98);
      const counters = create(new TurnedClock(), { seedDay });
      const subject = keySubject({ perMinute: 50 });
      expect((await counters.peek(subject)).windows[1]?.used).toBe(98);
      expect(await admittedOf(counters, subject, 5)).toBe(2);
      expect(reads).toEqual([[subject.id, Date.UTC(2026, 10, 20)]]);
    });

    it('does not count twice when many ask while the count is read', async () => {
      let answer: (used: number) => void = () => undefined;
      let reads = 0;
      const seedDay = () => {
        reads += 1;
        return new Promise<number>((resolve) => (answer = resolve));
      };
      const counters = create(new TurnedClock(), { seedDay });
      const subject = keySubject({ perMinute: 50 });
      const first = outcomes(counters, subject, 5);
      await until(() => reads === 1);
      const second = outcomes(counters, subject, 5);
      answer(93);
      const all = [...(await first), ...(await second)];
      expect(all.filter((outcome) => outcome === 'admitted')).toHaveLength(7);
      expect((await counters.peek(subject)).windows[1]?.used).toBe(100);
    });

    it('never reads for strangers', async () => {
      let reads = 0;
      const counters = create(new TurnedClock(), { seedDay: () => Promise.resolve((reads += 1)) });
      await counters.decide(keySubject({ perDay: null, canBeBanned: false }));
      expect(reads).toBe(0);
    });

    it('counts from zero when the read fails, says so, and takes the higher count later', async () => {
      const clock = new TurnedClock();
      const failures: unknown[] = [];
      let reads = 0;
      const seedDay = () => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(20);
      };
      const onSeedFailed = (id: string) => failures.push(id);
      const counters = create(clock, { seedDay, onSeedFailed });
      const subject = keySubject({ perMinute: 50 });
      expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
      expect(failures).toEqual([subject.id]);
      expect((await counters.decide(subject)).windows[1]?.used).toBe(2);
      clock.ms += 5_000;
      // The recorded 20 hold what was counted here meanwhile; 21 or 22 with the requests that follow.
      await until(async () => ((await counters.decide(subject)).windows[1]?.used ?? 0) >= 21);
      const used = (await counters.peek(subject)).windows[1]?.used ?? 0;
      expect(used).toBeLessThan(30);
      await outcomes(counters, subject, 3);
      expect((await counters.peek(subject)).windows[1]?.used).toBe(used + 3);
      expect([reads, failures.length]).toEqual([2, 1]);
    });

    it('takes a count that is none for a failure', async () => {
      const failures: unknown[] = [];
      const onSeedFailed = (_: string, error: unknown) => failures.push(String(error));
      const counters = create(new TurnedClock(), {
        seedDay: () => Promise.resolve(Number.NaN),
        onSeedFailed,
      });
      expect((await counters.decide(keySubject())).windows[1]?.used).toBe(1);
      expect(failures).toEqual(['RangeError: used today: NaN is no count']);
    });

    it('begins a day that it saw begin at zero, without a read', async () => {
      const clock = new TurnedClock(Date.UTC(2026, 10, 20, 23, 59));
      let reads = 0;
      const counters = create(clock, { seedDay: () => Promise.resolve((reads += 1)) });
      const subject = keySubject();
      await counters.decide(subject);
      clock.ms += MINUTE_MS;
      expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
      expect(reads).toBe(1);
    });
  });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise(setImmediate);
}

describe('counters in memory', () => {
  behavesAsCounters((clock, seeding) => new MemoryCounters({ clock, ...seeding }));
});

const redisUrl = process.env.TEST_REDIS_URL;

(redisUrl ? describe : describe.skip)('counters in Redis (TEST_REDIS_URL)', () => {
  const keyPrefix = `test-${randomUUID()}:`;
  let redis: Redis | Cluster;

  beforeAll(async () => {
    redis = connectRedis({ url: redisUrl ?? '' }, () => undefined);
    await waitUntilReady(redis, 5_000);
  });

  afterAll(async () => {
    const keys = await redis.keys(`${keyPrefix}*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  });

  behavesAsCounters(
    (clock, seeding) =>
      new RedisCounters(redis, { keyPrefix, testClock: clock, replyWithinMs: 10_000, ...seeding }),
  );
});
