import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { DAY_MS, MINUTE_MS } from '../../common/time.js';
import {
  START_MS,
  TurnedClock,
  admittedOf,
  decideAtOnce,
  describeStores,
  keySubject,
  outcomes,
  until,
} from '../../../test/support/counters.js';

const TODAY_MS = Date.UTC(2026, 10, 20);
const TOMORROW_MS = TODAY_MS + DAY_MS;

// counters-model.spec.ts has what is true of any history of a key.
describeStores('counters', (create) => {
  it('count each subject separately', async () => {
    const counters = create(new TurnedClock());
    const subjects = Array.from({ length: 150 }, () => keySubject({ perMinute: 2 }));
    const all = await Promise.all(
      [...subjects, ...subjects, ...subjects].map((each) => counters.decide(each)),
    );
    expect(all.filter((decision) => decision.outcome === 'admitted')).toHaveLength(300);
    expect(all.slice(300).every((decision) => decision.outcome === 'refused')).toBe(true);
  });

  it('give addresses a minute window, no day window and no ban, and load no count', async () => {
    const clock = new TurnedClock();
    let reads = 0;
    const counters = create(clock, { loadDailyCount: () => Promise.resolve((reads += 1)) });
    const address = keySubject({ id: `address:${randomUUID()}`, perDay: null });
    expect(await outcomes(counters, address, 100)).toEqual([
      ...Array<string>(3).fill('admitted'),
      ...Array<string>(97).fill('refused'),
    ]);
    expect((await counters.peek(address)).windows).toHaveLength(1);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, address, 5)).toBe(3);
    expect(reads).toBe(0);
  });

  it('continue a running window on a clock that is turned back, until the announced time', async () => {
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

  it('have no frozen window or ban after their clock was far ahead', async () => {
    const clock = new TurnedClock(START_MS + 400 * DAY_MS);
    const counters = create(clock);
    const subject = keySubject();
    await outcomes(counters, subject, 100);
    clock.ms = START_MS;
    expect(await admittedOf(counters, subject, 3)).toBe(3);
    const { windows } = await counters.peek(subject);
    expect(windows.map((window) => window.resetAtMs)).toEqual([START_MS + MINUTE_MS, TOMORROW_MS]);
  });

  it('end a ban, the refusals and the doubling with a reset mark, whose clock may be behind', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    expect((await outcomes(counters, subject, 34)).at(-1)).toBe('banned');
    const ban = { untilMs: START_MS + 500_000, durationMs: 600_000 };
    const reset = { ...subject, ban, penaltiesResetAtMs: START_MS - 5_000 };
    expect((await counters.decide(reset)).outcome).toBe('refused');
    expect(await outcomes(counters, reset, 29)).not.toContain('banned');
    expect((await counters.decide(reset)).startedBan?.durationMs).toBe(600_000);
  });

  it('start the day from the recorded count, loaded once for all waiting requests', async () => {
    const answer = Promise.withResolvers<number>();
    const reads: unknown[] = [];
    const loadDailyCount = (...read: unknown[]) => {
      reads.push(read);
      return answer.promise;
    };
    const counters = create(new TurnedClock(), { loadDailyCount });
    const subject = keySubject({ perMinute: 50 });
    const peeked = counters.peek(subject);
    const first = outcomes(counters, subject, 5);
    await until(() => reads.length === 1);
    const second = outcomes(counters, subject, 5);
    answer.resolve(93);
    expect((await peeked).windows[1]?.used).toBeGreaterThanOrEqual(93);
    const all = [...(await first), ...(await second)];
    expect(all.filter((outcome) => outcome === 'admitted')).toHaveLength(7);
    expect((await counters.peek(subject)).windows[1]?.used).toBe(100);
    expect(reads).toEqual([[subject.id, TODAY_MS]]);
  });

  it('start the day at zero if the recorded count cannot be loaded', async () => {
    const loadDailyCount = () => Promise.reject(new Error('away'));
    const failures: unknown[] = [];
    const onLoadFailed = (id: string, error: unknown) => failures.push([id, String(error)]);
    const counters = create(new TurnedClock(), { loadDailyCount, onLoadFailed });
    const subject = keySubject({ perMinute: 50 });
    const decisions = await decideAtOnce(counters, subject, 10);
    expect(decisions.at(-1)?.windows[1]?.used).toBe(10);
    expect((await counters.decide(subject)).windows[1]?.used).toBe(11);
    expect(failures).toEqual([[subject.id, 'Error: away']]);
  });

  it('start a day that begins while they run at zero, without a load', async () => {
    const clock = new TurnedClock(TOMORROW_MS - 1);
    let reads = 0;
    const counters = create(clock, { loadDailyCount: () => Promise.resolve((reads += 1)) });
    const subject = keySubject();
    await counters.decide(subject);
    clock.ms += 1;
    expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
    expect(reads).toBe(1);
  });
});
