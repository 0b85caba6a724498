import { describe, expect, it } from '@jest/globals';
import { placeOf } from './event-cursor.js';
import { isKept, pageOfRead } from './event-page.js';
import type { FeedRead, SettledRow } from '../events.repository.js';

const [OLD, MARK, LAST] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-7029-49c1-9d14-00cbd8b88f5d`);
const FEED = { lastPosition: 9n, lastMark: LAST!, removedPosition: 3n, removedMark: OLD! };

const row = (position: bigint, size: number, mark = MARK!): SettledRow => ({
  position,
  type: 'pet.created',
  actors: Array.from({ length: size }, () => 'command'),
  data: Array.from({ length: size }, (_, index) => `{"id":${String(index)}}`),
  mark,
  at: new Date('2026-11-20T12:00:00Z'),
});

const read = (rows: SettledRow[], more: Partial<FeedRead> = {}): FeedRead => ({
  feed: FEED,
  cursorMark: MARK!,
  end: { position: 9n, mark: LAST! },
  rows,
  ...more,
});

const positions = (page: ReturnType<typeof pageOfRead>) => page.items.map(({ place }) => place.position);

describe('a page of the feed', () => {
  it('begins in the middle of a row and ends in the middle of another', () => {
    const page = pageOfRead(read([row(6n, 3), row(9n, 3, LAST)]), placeOf(5n, MARK!), 2);

    expect(positions(page)).toEqual([6n, 7n]);
    expect(page.next).toEqual(placeOf(7n, LAST!));
    expect(page.hasMore).toBe(true);
  });

  it('passes rows that the caller does not see', () => {
    const page = pageOfRead(read([row(6n, 1)]), placeOf(5n, MARK!), 20);

    expect(page.next).toEqual(placeOf(9n, LAST!));
    expect(page.hasMore).toBe(false);
  });

  it('says that more is there where the read has not reached the end', () => {
    const page = pageOfRead(read([], { end: { position: 7n, mark: MARK! } }), placeOf(5n, MARK!), 20);

    expect(page).toEqual({ items: [], next: placeOf(7n, MARK!), hasMore: true });
  });

  it('stays where it is at the end of the feed', () => {
    const end = placeOf(9n, LAST!);

    expect(pageOfRead(read([], { end: null }), end, 20)).toEqual({ items: [], next: end, hasMore: false });
  });
});

describe('a place is kept', () => {
  it.each([
    ['where its row is there', placeOf(5n, MARK!), MARK!, true],
    ['at the beginning of what is kept', placeOf(3n, OLD!), null, true],
    ['not where a later row is removed', placeOf(2n, OLD!), null, false],
    ['not after the end of the feed', placeOf(10n, MARK!), null, false],
    ['not where another history has given the position', placeOf(5n, LAST!), MARK!, false],
    ['not where no row has the position', placeOf(5n, MARK!), null, false],
  ])('%s', (_, place, cursorMark, expected) => {
    expect(isKept(place, read([], { cursorMark }))).toBe(expected);
  });

  it('before the first event of all', () => {
    const feed = { lastPosition: 0n, lastMark: null, removedPosition: 0n, removedMark: null };

    expect(isKept(placeOf(0n, null), read([], { feed, cursorMark: null, end: null }))).toBe(true);
  });
});
