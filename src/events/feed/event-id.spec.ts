import { describe, expect, it } from '@jest/globals';
import { eventIdOf } from './event-id.js';

const MARK = '47c9333d-7029-49c1-9d14-00cbd8b88f5d';
const AT = new Date('2026-11-20T12:00:00.123Z');

describe('eventIdOf', () => {
  it('is a UUIDv7 of the time of the change', () => {
    const id = eventIdOf(MARK, 0, AT);

    expect(id).toMatch(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.slice(4).replaceAll('-', '').slice(0, 12), 16)).toBe(AT.getTime());
  });

  it('is the same at every read, and another one for each event of a row', () => {
    const ids = Array.from({ length: 100 }, (_, index) => eventIdOf(MARK, index, AT));

    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => eventIdOf(MARK, index, AT)));
    expect(new Set(ids).size).toBe(100);
  });

  it('keeps version and variant where the random bits overflow', () => {
    expect(eventIdOf('ffffffff-ffff-4fff-bfff-ffffffffffff', 1, AT)).toMatch(/-7fff-8000-000000000000$/);
  });
});
