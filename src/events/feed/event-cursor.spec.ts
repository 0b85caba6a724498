import { describe, expect, it } from '@jest/globals';
import { INT64_MAX } from '../../platform/common/int64.js';
import { encodeCursor } from '../../platform/common/paging.js';
import { decodeEventCursor, encodeEventCursor, placeOf } from './event-cursor.js';

const MARK = 'f7c9333d-7029-49c1-9d14-00cbd8b88f5d';

describe('the cursor of the feed', () => {
  it.each([placeOf(0n, null), placeOf(7n, MARK), placeOf(INT64_MAX, MARK)])('keeps %j', (place) => {
    const cursor = encodeEventCursor(place);

    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeEventCursor(cursor)).toEqual(place);
  });

  const valid = encodeEventCursor(placeOf(7n, MARK));
  it.each([
    ['empty', ''],
    ['cut', valid.slice(0, -1)],
    ['mistyped', (valid.startsWith('A') ? 'B' : 'A') + valid.slice(1)],
    ['padded', `${valid}=`],
    ['of another list', encodeCursor('listPets', 7n)],
  ])('refuses one that is %s', (_, cursor) => {
    expect(() => decodeEventCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});
