import { describe, expect, it } from '@jest/globals';
import { MAX_KEPT_SECRETS, rotationOf, type Secret } from './rotation.js';

const NOW_MS = Date.UTC(2026, 10, 20);
const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(NOW_MS + ms);

/** Secrets with these ends, newest first; the newest has the highest number. */
const secretsWith = (...ends: (Date | null)[]): Secret[] =>
  ends.map((endsAt, index) => ({ number: BigInt(ends.length - index), endsAt }));

describe('a rotation', () => {
  it('ends the newest secret after the overlap, and leaves every older one its own end', () => {
    const secrets = secretsWith(null, inMs(1), inMs(30 * HOUR_MS), inMs(-1));
    expect(rotationOf(secrets, NOW_MS, HOUR_MS)).toEqual({
      ending: [{ number: 4n, endsAt: inMs(HOUR_MS) }],
      removed: [],
    });
  });

  it('without an overlap ends every secret that has not ended', () => {
    const secrets = secretsWith(null, inMs(1), inMs(0), inMs(-1));
    expect(rotationOf(secrets, NOW_MS, 0).ending).toEqual([
      { number: 4n, endsAt: inMs(0) },
      { number: 3n, endsAt: inMs(0) },
    ]);
  });

  it('leaves five that work with the new one: it ends the oldest, whatever its end', () => {
    const secrets = secretsWith(null, inMs(1), inMs(2), inMs(3), inMs(30 * HOUR_MS), inMs(-1));
    expect(rotationOf(secrets, NOW_MS, HOUR_MS).ending).toEqual([
      { number: 6n, endsAt: inMs(HOUR_MS) },
      { number: 2n, endsAt: inMs(0) },
    ]);
    const fewer = secretsWith(null, inMs(1), inMs(2), inMs(-1), inMs(-1));
    expect(rotationOf(fewer, NOW_MS, HOUR_MS).ending).toHaveLength(1);
  });

  it(`keeps ${MAX_KEPT_SECRETS} with the new one`, () => {
    const ended = Array.from({ length: MAX_KEPT_SECRETS - 1 }, () => inMs(-1));
    expect(rotationOf(secretsWith(null, ...ended), NOW_MS, HOUR_MS).removed).toEqual([1n]);
    expect(rotationOf(secretsWith(null, ...ended.slice(1)), NOW_MS, HOUR_MS).removed).toEqual([]);
  });
});
