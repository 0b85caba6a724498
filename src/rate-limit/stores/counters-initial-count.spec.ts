import { expect, it } from '@jest/globals';
import {
  TurnedClock,
  admittedOf,
  keySubject,
  outcomes,
  until,
  describeStores,
  type CreateCounters,
} from './counters-under-test.js';
import { MINUTE_MS } from '../../common/time.js';

/** The start of a day without counts in the store. */
function loadsInitialCounts(create: CreateCounters): void {
  it('start the day from the recorded count, loaded once for all waiting requests', async () => {
    const reads: unknown[] = [];
    const loadDailyCount = (...read: unknown[]) => Promise.resolve(reads.push(read)).then(() => 98);
    const counters = create(new TurnedClock(), { loadDailyCount });
    const subject = keySubject({ perMinute: 50 });
    expect((await counters.peek(subject)).windows[1]?.used).toBe(98);
    expect(await admittedOf(counters, subject, 5)).toBe(2);
    expect(reads).toEqual([[subject.id, Date.UTC(2026, 10, 20)]]);
  });

  it('count requests during the load once', async () => {
    let answer: (used: number) => void = () => undefined;
    let reads = 0;
    const loadDailyCount = () => {
      reads += 1;
      return new Promise<number>((resolve) => (answer = resolve));
    };
    const counters = create(new TurnedClock(), { loadDailyCount });
    const subject = keySubject({ perMinute: 50 });
    const first = outcomes(counters, subject, 5);
    await until(() => reads === 1);
    const second = outcomes(counters, subject, 5);
    answer(93);
    const all = [...(await first), ...(await second)];
    expect(all.filter((outcome) => outcome === 'admitted')).toHaveLength(7);
    expect((await counters.peek(subject)).windows[1]?.used).toBe(100);
  });

  it('are not loaded for addresses', async () => {
    let reads = 0;
    const counters = create(new TurnedClock(), { loadDailyCount: () => Promise.resolve((reads += 1)) });
    await counters.decide(keySubject({ perDay: null, canBeBanned: false }));
    expect(reads).toBe(0);
  });

  it('are zero after a reported failure, and replaced by a higher count later', async () => {
    const clock = new TurnedClock();
    const failures: unknown[] = [];
    let reads = 0;
    const loadDailyCount = () => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(20);
    };
    const onLoadFailed = (id: string) => failures.push(id);
    const counters = create(clock, { loadDailyCount, onLoadFailed });
    const subject = keySubject({ perMinute: 50 });
    expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
    expect(failures).toEqual([subject.id]);
    await outcomes(counters, subject, 9);
    expect((await counters.peek(subject)).windows[1]?.used).toBe(10);
    clock.ms += 5_000;
    // The recorded 20 include the requests counted here, and are not added to them.
    await until(async () => ((await counters.decide(subject)).windows[1]?.used ?? 0) >= 21);
    const used = (await counters.peek(subject)).windows[1]?.used ?? 0;
    expect(used).toBeLessThan(25);
    await outcomes(counters, subject, 3);
    expect((await counters.peek(subject)).windows[1]?.used).toBe(used + 3);
    expect([reads, failures.length]).toEqual([2, 1]);
  });

  it('are a failure if they are invalid', async () => {
    const failures: unknown[] = [];
    const onLoadFailed = (_: string, error: unknown) => failures.push(String(error));
    const counters = create(new TurnedClock(), {
      loadDailyCount: () => Promise.resolve(Number.NaN),
      onLoadFailed,
    });
    expect((await counters.decide(keySubject())).windows[1]?.used).toBe(1);
    expect(failures).toEqual(['RangeError: used today: NaN is not a count']);
  });

  it('are zero without a load on a day that begins while the store runs', async () => {
    const clock = new TurnedClock(Date.UTC(2026, 10, 20, 23, 59));
    let reads = 0;
    const counters = create(clock, { loadDailyCount: () => Promise.resolve((reads += 1)) });
    const subject = keySubject();
    await counters.decide(subject);
    clock.ms += MINUTE_MS;
    expect((await counters.decide(subject)).windows[1]?.used).toBe(1);
    expect(reads).toBe(1);
  });
}

describeStores('initial counts', loadsInitialCounts);
