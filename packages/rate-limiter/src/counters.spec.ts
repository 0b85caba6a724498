import { expect, it, jest } from '@jest/globals';
import { START_MS, TurnedClock, settled } from '../test/clocks.js';
import { admittedOf, decideAtOnce, describeStores, keySubject, outcomes, noUsage } from '../test/stores.js';
import { sharedLoad } from './daily-count.js';
import { SILENT } from './logger.js';
import { MemoryCounters } from './memory-counters.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.js';

const TODAY_MS = Date.UTC(2026, 10, 20);

// test/model has what is true of any history of a key.
describeStores('counters', (create) => {
  it('count each subject separately', async () => {
    const counters = create(new TurnedClock());
    const subjects = Array.from({ length: 150 }, () => keySubject({ perMinute: 2 }));
    const all = await Promise.all(
      [...subjects, ...subjects, ...subjects].map(async (each) => counters.decide(each)),
    );
    expect(all.filter((decision) => decision.outcome === 'admitted')).toHaveLength(300);
    expect(all.slice(300).every((decision) => decision.outcome === 'refused')).toBe(true);
  });

  it('give addresses a minute window, no day window and no ban, and load no count', async () => {
    const clock = new TurnedClock();
    let reads = 0;
    const counters = create(clock, () => Promise.resolve((reads += 1)));
    const address = keySubject({ perDay: null });
    expect(await outcomes(counters, address, 100)).toEqual([
      ...Array<string>(3).fill('admitted'),
      ...Array<string>(97).fill('refused'),
    ]);
    expect((await counters.peek(address)).windows).toHaveLength(1);
    clock.ms += MINUTE_MS;
    expect(await admittedOf(counters, address, 5)).toBe(3);
    expect(reads).toBe(0);
  });

  it.each([
    ['continue a window in its last millisecond', 59_999, 0, START_MS],
    ['end it a millisecond later', 60_000, 3, START_MS + MINUTE_MS],
    ['continue it when their clock is set back by a minute', -60_000, 0, START_MS],
    ['start another one when it is set back further', -60_001, 3, START_MS - 2 * MINUTE_MS],
  ])('%s', async (_, stepMs, admitted, startMs) => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject();
    expect(await admittedOf(counters, subject, 3)).toBe(3);
    clock.ms += stepMs;
    expect(await admittedOf(counters, subject, 5)).toBe(admitted);
    const { windows } = await counters.peek(subject);
    expect(windows.map(({ resetAtMs }) => resetAtMs)).toEqual([startMs + MINUTE_MS, TODAY_MS + DAY_MS]);
  });

  it.each([
    ['a minute', { perMinute: 3, perDay: 100 }],
    ['a day', { perMinute: 100, perDay: 3 }],
  ])('keep %s used up while their clock steps back and returns', async (_, limits) => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject(limits);
    expect(await admittedOf(counters, subject, 5)).toBe(3);
    for (const stepMs of [-25 * HOUR_MS, -10 * HOUR_MS - 1, -120_000]) {
      clock.ms = START_MS + stepMs;
      await admittedOf(counters, subject, 1);
      clock.ms = START_MS + 1;
      expect(await admittedOf(counters, subject, 20)).toBe(0);
    }
  });

  it('keep a day used up that is in its first hour when their clock steps back and returns', async () => {
    const clock = new TurnedClock(TODAY_MS + 1);
    const counters = create(clock);
    const subject = keySubject({ perMinute: 100, perDay: 3 });
    expect(await admittedOf(counters, subject, 5)).toBe(3);
    clock.ms -= 25 * HOUR_MS;
    await admittedOf(counters, subject, 1);
    clock.ms += 25 * HOUR_MS;
    expect(await admittedOf(counters, subject, 20)).toBe(0);
  });

  it('double bans from ten minutes to at most a day, and start again a day after the last one', async () => {
    const clock = new TurnedClock();
    const counters = create(clock);
    const subject = keySubject({ perMinute: 1, perDay: 1_000 });
    const minutes: number[] = [];
    for (const laterMs of [...Array<number>(9).fill(0), DAY_MS, DAY_MS + 1]) {
      clock.ms += laterMs;
      const { durationMs } = (await decideAtOnce(counters, subject, 12)).at(-1)!.startedBan!;
      minutes.push(durationMs / MINUTE_MS);
      clock.ms += durationMs;
    }
    expect(minutes).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 10]);
  });

  it('apply the ban of a row unless it starts further in the future than clocks may differ', async () => {
    const counters = create(new TurnedClock());
    const outcomeAt = async (startMs: number) => {
      const ban = { untilMs: startMs + 600_000, durationMs: 600_000 };
      return (await counters.decide(keySubject({ ban }))).outcome;
    };
    expect(await outcomeAt(START_MS + MINUTE_MS)).toBe('banned');
    expect(await outcomeAt(START_MS + MINUTE_MS + 1)).toBe('admitted');
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
    const load = sharedLoad((...read) => {
      reads.push(read);
      return answer.promise;
    }, SILENT);
    let waiting = 0;
    const counters = create(new TurnedClock(), (...read) => {
      waiting += 1;
      return load(...read);
    });
    const subject = keySubject({ perMinute: 50 });
    const peeked = counters.peek(subject);
    const decided = outcomes(counters, subject, 10);
    while (waiting < 11) await settled();
    answer.resolve(93);
    expect((await peeked).windows[1]?.used).toBeGreaterThanOrEqual(93);
    expect((await decided).filter((outcome) => outcome === 'admitted')).toHaveLength(7);
    expect((await counters.peek(subject)).windows[1]?.used).toBe(100);
    expect(reads).toEqual([[subject.id, TODAY_MS]]);
  });

  it('start the day at zero when the recorded count is negative', async () => {
    const counters = create(
      new TurnedClock(),
      sharedLoad(() => Promise.resolve(-5), SILENT),
    );
    expect((await counters.decide(keySubject())).windows[1]?.used).toBe(1);
  });

  it('start a day that begins while they run at zero, without a load', async () => {
    const clock = new TurnedClock(TODAY_MS + DAY_MS - 1);
    let reads = 0;
    const counters = create(clock, () => Promise.resolve((reads += 1)));
    const subject = keySubject();
    await counters.decide(subject);
    clock.ms += 1;
    expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
    expect(reads).toBe(1);
  });
});

it('a count that cannot be loaded is zero', async () => {
  const warn = jest.fn();
  const load = sharedLoad(() => Promise.reject(new Error('away')), { ...SILENT, warn });
  expect(await load('key', TODAY_MS)).toBe(0);
  expect(warn.mock.calls).toEqual([[{ id: 'key', err: new Error('away') }, expect.any(String)]]);
});

it.each([
  ['the clock was set back a day', -DAY_MS, false],
  ['the shared counters may have counted requests of a new day', DAY_MS, true],
])('counters in memory load a count again after %s', async (_, stepMs, isFallback) => {
  const clock = new TurnedClock();
  const counters = new MemoryCounters({ clock, isFallback, loadDailyCount: () => Promise.resolve(40) });
  const subject = keySubject();
  await counters.decide(subject);
  clock.ms += stepMs;
  await counters.peek(subject);
  await settled();
  expect((await counters.peek(subject)).windows[1]?.used).toBe(40);
});

// lru-cache drops the entry that was not used for the longest time.
it('counters in memory are bounded to 200,000 addresses', async () => {
  const counters = new MemoryCounters({ clock: new TurnedClock(), loadDailyCount: noUsage });
  const first = keySubject({ perDay: null });
  await counters.decide(first);
  for (let count = 0; count < 200_000; count += 1) await counters.decide({ ...first, id: String(count) });
  expect((await counters.peek(first)).windows[0]?.used).toBe(0);
});
