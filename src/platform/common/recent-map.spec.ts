import { describe, expect, it } from '@jest/globals';
import { RecentMap } from './recent-map.js';

describe('RecentMap', () => {
  it('keeps at most its maximum of entries, including the newest', () => {
    const map = new RecentMap<number, number>(10);
    let largest = 0;
    for (let key = 1; key <= 1_000; key += 1) {
      map.set(key, key);
      largest = Math.max(largest, map.size);
    }
    expect(largest).toBe(10);
    expect([996, 997, 998, 999, 1_000].map((key) => map.get(key))).toEqual([996, 997, 998, 999, 1_000]);
    expect(map.get(1)).toBeUndefined();
  });

  it('keeps an entry that is read while others are added', () => {
    const map = new RecentMap<string, number>(4);
    map.set('used', 1);
    for (let count = 0; count < 100; count += 1) {
      map.set(String(count), count);
      expect(map.get('used')).toBe(1);
    }
    expect(map.size).toBeLessThanOrEqual(4);
  });

  it('deletes an entry from both generations', () => {
    const map = new RecentMap<number, number>(4);
    for (const key of [1, 2, 3, 4]) map.set(key, key);
    map.delete(1);
    map.deleteWhere((value) => value === 2 || value === 4);
    expect([1, 2, 3, 4].map((key) => map.get(key))).toEqual([undefined, undefined, 3, undefined]);
  });

  it('returns the newest value of a key in both generations', () => {
    const map = new RecentMap<number, string>(4);
    map.set(1, 'old');
    map.set(2, 'two');
    map.set(3, 'three');
    map.set(1, 'new');
    expect(map.get(1)).toBe('new');
  });
});
