import { describe, expect, it } from '@jest/globals';
import type { CallerKey } from '../api-key.js';
import { KeyCache } from './key-cache.js';

const KEY: CallerKey = {
  id: 'one',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  readOnly: false,
  expiresAtMs: null,
  ban: null,
  penaltiesResetAtMs: 0,
};

function setup(key: CallerKey | undefined) {
  const clock = { atMs: 0, nowMs: () => 0, monotonicMs: () => clock.atMs };
  const cache = new KeyCache(clock);
  const lookups: (() => void)[] = [];
  const load = () => cache.load('hash', () => new Promise((resolve) => lookups.push(() => resolve(key))));
  /** Ends every look-up under way. */
  const finishLookups = () => lookups.splice(0).forEach((resolve) => resolve());
  return { clock, cache, load, lookups, finishLookups };
}

describe.each([
  ['an issued secret', KEY],
  ['an unknown secret', undefined],
])('KeyCache: the look-up of %s', (_, key) => {
  it('happens once for all waiting requests, and is trusted for 5 seconds', async () => {
    const { clock, cache, load, lookups, finishLookups } = setup(key);
    const loading = [load(), load(), load()];
    expect(lookups).toHaveLength(1);
    finishLookups();
    expect(await Promise.all(loading)).toEqual([key, key, key]);
    clock.atMs = 4_999;
    expect(cache.get('hash')).toMatchObject({ key });
    clock.atMs = 5_000;
    expect(cache.get('hash')).toBeUndefined();
  });

  it('is trusted from the time it began', async () => {
    const { clock, cache, load, finishLookups } = setup(key);
    const loading = load();
    clock.atMs = 4_000;
    finishLookups();
    await loading;
    clock.atMs = 5_000;
    expect(cache.get('hash')).toBeUndefined();
  });
});

describe('KeyCache', () => {
  it('marks an issued key as due for renewal after 4 seconds', async () => {
    const { clock, cache, load, finishLookups } = setup(KEY);
    const loading = load();
    finishLookups();
    await loading;
    clock.atMs = 3_999;
    expect(cache.get('hash')).toEqual({ key: KEY, isDue: false });
    clock.atMs = 4_000;
    expect(cache.get('hash')).toEqual({ key: KEY, isDue: true });
  });

  it('drops a key after a change, and no other', async () => {
    const { cache, load, finishLookups } = setup(KEY);
    const loading = load();
    finishLookups();
    await loading;
    cache.forget(new Set(['another']));
    expect(cache.get('hash')).toMatchObject({ key: KEY });
    cache.forget(new Set(['one']));
    expect(cache.get('hash')).toBeUndefined();
  });

  it('does not keep a look-up that began before a change', async () => {
    const { cache, load, lookups, finishLookups } = setup(KEY);
    const before = load();
    const [finishBefore] = lookups.splice(0);
    cache.forget(new Set(['one']));
    const after = load();
    expect(lookups).toHaveLength(1);
    finishBefore?.();
    expect(await before).toBe(KEY);
    expect(cache.get('hash')).toBeUndefined();
    finishLookups();
    await after;
    expect(cache.get('hash')).toMatchObject({ key: KEY });
  });

  it('does not keep a look-up that failed', async () => {
    const { cache } = setup(KEY);
    await expect(cache.load('hash', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(cache.get('hash')).toBeUndefined();
    expect(await cache.load('hash', () => Promise.resolve(KEY))).toBe(KEY);
  });

  it('holds at most 100,000 unknown secrets, which displace no key', async () => {
    const { cache } = setup(KEY);
    await cache.load('issued', () => Promise.resolve(KEY));
    for (let count = 0; count < 150_000; count += 1)
      await cache.load(String(count), () => Promise.resolve(undefined));
    expect(cache.size).toBeLessThanOrEqual(100_001);
    expect(cache.get('issued')).toMatchObject({ key: KEY });
  });

  it('holds at most 100,000 keys', async () => {
    const { cache } = setup(KEY);
    for (let count = 0; count < 150_000; count += 1)
      await cache.load(String(count), () => Promise.resolve({ ...KEY, id: String(count) }));
    expect(cache.size).toBeLessThanOrEqual(100_000);
    expect(cache.get('149999')).toMatchObject({ key: { id: '149999' } });
  });
});
