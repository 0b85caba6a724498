import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  START_MS,
  TurnedClock,
  admittedOf,
  decideAtOnce,
  keySubject,
  outcomes,
  describeStores,
  type CreateCounters,
} from './counters-under-test.js';
import { DAY_MS, MINUTE_MS } from '../../common/time.js';

/** The behaviour of every store. */
function behavesAsCounters(create: CreateCounters): void {
  it('count an admitted request in both windows', async () => {
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

  it('admit exactly the limit of simultaneous requests, each with its remaining requests', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject();
    const decisions = await decideAtOnce(counters, subject, 5);
    expect(decisions.map(({ outcome, windows }) => [outcome, windows[0]?.remaining])).toEqual([
      ['admitted', 2],
      ['admitted', 1],
      ['admitted', 0],
      ['refused', 0],
      ['refused', 0],
    ]);
  });

  it('count a request that one window refuses in neither window', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject({ perDay: 5 });
    await outcomes(counters, subject, 10);
    expect((await counters.peek(subject)).windows.map((window) => window.used)).toEqual([3, 3]);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, subject, 10)).toBe(2);
    expect((await counters.peek(subject)).windows.map((window) => window.used)).toEqual([2, 5]);
  });

  it('keep the day window when the minute ends, and neither window when the day ends', async () => {
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

  it('count each subject separately', async () => {
    const counters = create(new TurnedClock());
    const subjects = Array.from({ length: 150 }, () => keySubject({ perMinute: 2 }));
    const all = await Promise.all(
      [...subjects, ...subjects, ...subjects].map((each) => counters.decide(each)),
    );
    expect(all.filter((decision) => decision.outcome === 'admitted')).toHaveLength(300);
    expect(all.slice(300).every((decision) => decision.outcome === 'refused')).toBe(true);
  });

  it('give addresses a minute window, no day window and no ban', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const address = keySubject({ id: `address:${randomUUID()}`, perDay: null, canBeBanned: false });
    expect(await outcomes(counters, address, 100)).toEqual([
      ...Array<string>(3).fill('admitted'),
      ...Array<string>(97).fill('refused'),
    ]);
    expect((await counters.peek(address)).windows).toHaveLength(1);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, address, 5)).toBe(3);
  });

  it('do not count a peek', async () => {
    const counters = create(new TurnedClock());
    const subject = keySubject({ perMinute: 1 });
    await counters.peek(subject);
    expect((await counters.peek(subject)).outcome).toBe('admitted');
    await counters.decide(subject);
    const exhausted = await counters.peek(subject);
    expect([exhausted.outcome, exhausted.windows[0]?.remaining]).toEqual(['refused', 0]);
  });

  it('apply new limits to the running windows', async () => {
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

  describe('on a clock that is turned back', () => {
    it('continue a running window, and end it at the announced time', async () => {
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

    it('have no frozen window or ban after it was far ahead', async () => {
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
}

describeStores('counters', behavesAsCounters);
