import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SharedRead } from './shared-read.js';

describe('a shared read', () => {
  let begun: number;
  let endRead: (failure?: Error) => void;
  let shared: SharedRead<number>;

  beforeEach(() => {
    jest.useFakeTimers();
    begun = 0;
    shared = new SharedRead(() => {
      const number = ++begun;
      return new Promise((resolve, reject) => {
        endRead = (failure) => (failure ? reject(failure) : resolve(number));
      });
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const loadMany = (callers: number) => Promise.all(Array.from({ length: callers }, () => shared.load()));
  const passMs = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('begins at once for callers who come alone', async () => {
    for (const number of [1, 2, 3]) {
      const result = shared.load();
      await passMs(0);
      expect(begun).toBe(number);
      endRead();
      expect(await result).toBe(number);
      expect(jest.getTimerCount()).toBe(0);
    }
  });

  it('begins after the calls that it answers, which share it', async () => {
    const first = shared.load();
    await passMs(0);
    const others = loadMany(3);
    await passMs(100);
    expect(begun).toBe(1);
    endRead();
    expect(await first).toBe(1);
    await passMs(0);
    endRead();
    expect(await others).toEqual([2, 2, 2]);
  });

  it.each([
    { callers: 6, pauseMs: 3 },
    { callers: 1_000, pauseMs: 9 },
  ])('is followed by a pause of $pauseMs ms after $callers callers', async ({ callers, pauseMs }) => {
    const results = loadMany(callers);
    await passMs(0);
    endRead();
    await results;
    void shared.load();
    await passMs(pauseMs - 1);
    expect(begun).toBe(1);
    await passMs(1);
    expect(begun).toBe(2);
  });

  it('fails for the callers who share it, and not for later ones', async () => {
    const failed = Promise.allSettled([shared.load(), shared.load()]);
    await passMs(0);
    endRead(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = shared.load();
    await passMs(0);
    endRead();
    expect(await next).toBe(2);
  });
});
