import { describe, expect, it } from '@jest/globals';
import type { CallerKey } from './api-key.js';
import { CallerCache } from './caller-cache.js';

const KEY: CallerKey = {
  id: 'one',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  readOnly: false,
  expiresAtMs: null,
  ban: null,
  forgivenAtMs: 0,
};

function setup(answer: CallerKey | undefined) {
  const clock = { atMs: 0, nowMs: () => 0, monotonicMs: () => clock.atMs };
  const cache = new CallerCache(clock);
  const reads: (() => void)[] = [];
  const find = (hash = 'hash') =>
    cache.find(hash, () => new Promise((resolve) => reads.push(() => resolve(answer))));
  /** Answers every read under way. */
  const answerReads = () => reads.splice(0).forEach((resolve) => resolve());
  return { clock, cache, find, reads, answerReads };
}

describe.each([
  ['a key', KEY],
  ['nobody', undefined],
])('CallerCache, a secret of %s', (_whose, answer) => {
  it('is read once for all who ask at the same time, and not again for 5 seconds', async () => {
    const { clock, find, reads, answerReads } = setup(answer);
    const asked = [find(), find(), find()];
    expect(reads).toHaveLength(1);
    answerReads();
    expect(await Promise.all(asked.map((one) => Promise.resolve(one)))).toEqual([answer, answer, answer]);
    clock.atMs = 4_999;
    expect(await find()).toBe(answer);
    expect(reads).toHaveLength(0);
    clock.atMs = 5_000;
    void find();
    expect(reads).toHaveLength(1);
  });

  it('is as old as the moment its reading began', async () => {
    const { clock, find, reads, answerReads } = setup(answer);
    const asked = find();
    clock.atMs = 4_000;
    answerReads();
    await asked;
    clock.atMs = 5_000;
    void find();
    expect(reads).toHaveLength(1);
  });
});

describe('CallerCache.forget', () => {
  it('makes the next request read the key anew', async () => {
    const { cache, find, reads, answerReads } = setup(KEY);
    const asked = find();
    answerReads();
    await asked;
    cache.forget('another');
    expect(await find()).toBe(KEY);
    cache.forget('one');
    void find();
    expect(reads).toHaveLength(1);
  });

  it('does not keep what was read before the change', async () => {
    const { cache, find, reads, answerReads } = setup(KEY);
    const asked = find();
    cache.forget('one');
    answerReads();
    expect(await asked).toBe(KEY);
    void find();
    expect(reads).toHaveLength(1);
  });
});

it('CallerCache does not keep a reading that failed', async () => {
  const { cache } = setup(KEY);
  await expect(cache.find('hash', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.find('hash', () => Promise.resolve(KEY))).toBe(KEY);
});
