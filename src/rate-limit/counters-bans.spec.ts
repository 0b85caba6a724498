import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Counters } from './counters.js';
import type { Subject } from './decision.js';
import {
  START_MS,
  TurnedClock,
  ask,
  keySubject,
  outcomes,
  createMemoryCounters,
  openRedis,
  type CreateCounters,
  type OpenRedis,
} from './counters-under-test.js';
import { DAY_MS, MINUTE_MS } from './limit-windows.js';

/** Bans, whatever keeps them. */
function bansAsAgreed(create: CreateCounters): void {
  const limit = 3;
  const refusals = 10 * limit;

  async function banned(counters: Counters, subject: Subject): Promise<void> {
    expect((await outcomes(counters, subject, limit + refusals + 1)).at(-1)).toBe('banned');
  }

  it('start with the refusal above ten times the limit, told once', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    const decisions = await ask(counters, subject, limit + refusals + 3);
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
    const decisions = await ask(counters, subject, limit + refusals + 1);
    expect(decisions.at(-1)?.startedBan?.lastedMs).toBe(1_200_000);
    clock.ms += 1_200_000 + DAY_MS + 1;
    const later = await ask(counters, subject, limit + refusals + 1);
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
    const decisions = await ask(counters, subject, limit + refusals + 1);
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
}

describe('bans in memory', () => {
  bansAsAgreed(createMemoryCounters);
});

const redisUrl = process.env.TEST_REDIS_URL;

(redisUrl ? describe : describe.skip)('bans in Redis (TEST_REDIS_URL)', () => {
  let opened: OpenRedis;
  beforeAll(async () => {
    opened = await openRedis(redisUrl);
  });
  afterAll(() => opened.close());

  bansAsAgreed((clock, seeding) => opened.create(clock, seeding));
});
