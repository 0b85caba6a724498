import { expect, it } from '@jest/globals';
import type { Counters } from './counters.js';
import type { Subject } from '../decision/decision.js';
import {
  START_MS,
  TurnedClock,
  decideAtOnce,
  keySubject,
  outcomes,
  describeStores,
  type CreateCounters,
} from './counters-under-test.js';
import { DAY_MS, MINUTE_MS } from '../../common/time.js';

/** The bans of every store. */
function bansBehave(create: CreateCounters): void {
  const limit = 3;
  const refusals = 10 * limit;

  async function banned(counters: Counters, subject: Subject): Promise<void> {
    expect((await outcomes(counters, subject, limit + refusals + 1)).at(-1)).toBe('banned');
  }

  it('start with the refusal above ten times the limit, and are reported once', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    const decisions = await decideAtOnce(counters, subject, limit + refusals + 3);
    const untilMs = START_MS + 600_000;
    expect(decisions.map((decision) => decision.outcome)).toEqual([
      ...Array<string>(limit).fill('admitted'),
      ...Array<string>(refusals).fill('refused'),
      ...Array<string>(3).fill('banned'),
    ]);
    expect(decisions.filter((decision) => decision.startedBan)).toHaveLength(1);
    expect(decisions[limit + refusals]?.startedBan).toEqual({ untilMs, durationMs: 600_000 });
    expect(decisions.map((decision) => decision.bannedUntilMs).slice(-4)).toEqual([
      null,
      untilMs,
      untilMs,
      untilMs,
    ]);
  });

  it('count the refusals of both windows for ten minutes', async () => {
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

  it('count no request while they are in force, and end exactly on time', async () => {
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

  it('double within a day after the last ban', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject({ perDay: 1_000 });
    await banned(counters, subject);
    clock.ms += 600_000 + DAY_MS;
    const decisions = await decideAtOnce(counters, subject, limit + refusals + 1);
    expect(decisions.at(-1)?.startedBan?.durationMs).toBe(1_200_000);
    clock.ms += 1_200_000 + DAY_MS + 1;
    const later = await decideAtOnce(counters, subject, limit + refusals + 1);
    expect(later.at(-1)?.startedBan?.durationMs).toBe(600_000);
  });

  it('are in force, with their doubling, if only the row of the key has them', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const untilMs = START_MS + 1_000;
    const subject = keySubject({ ban: { untilMs, durationMs: 1_200_000 } });
    expect(await counters.decide(subject)).toMatchObject({
      outcome: 'banned',
      bannedUntilMs: untilMs,
      startedBan: null,
    });
    clock.ms = untilMs;
    const decisions = await decideAtOnce(counters, subject, limit + refusals + 1);
    expect(decisions.at(-1)?.startedBan?.durationMs).toBe(2_400_000);
  });

  it('end at once with a reset mark from another clock, and so do refusals and doubling', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject();
    await banned(counters, subject);
    // The mark comes from another clock, which may be behind.
    const reset = { ...subject, penaltiesResetAtMs: START_MS - 5_000 };
    expect((await counters.decide(reset)).outcome).toBe('refused');
    expect(await outcomes(counters, reset, refusals - 1)).not.toContain('banned');
    expect((await counters.decide(reset)).startedBan?.durationMs).toBe(600_000);
  });

  it('are not restored from a row with a ban older than the reset mark', async () => {
    const counters = create(new TurnedClock());
    const ban = { untilMs: START_MS + 500_000, durationMs: 600_000 };
    expect((await counters.decide(keySubject({ ban, penaltiesResetAtMs: START_MS }))).outcome).toBe(
      'admitted',
    );
  });
}

describeStores('bans', bansBehave);
