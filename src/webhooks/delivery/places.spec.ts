import { beforeEach, describe, expect, it } from '@jest/globals';
import { Places } from './places.js';

describe('the places of a process', () => {
  let places: Places;
  beforeEach(() => {
    places = new Places();
  });

  const take = (count: number, keyOf: (index: number) => string, isFailing = false) =>
    Array.from({ length: count }, (_, index) => places.take({ keyId: keyOf(index), isFailing })).filter(
      (giveBack) => giveBack !== undefined,
    );

  it('are 8 for a key, which other keys do not feel', () => {
    expect(take(40, (index) => ['a', 'b'][index % 2]!)).toHaveLength(16);
    expect(places.fullKeys.sort()).toEqual(['a', 'b']);
    expect(take(1, () => 'c')).toHaveLength(1);
  });

  it('are 256, of which those that fail have half', () => {
    expect(take(300, String, true)).toHaveLength(128);
    expect([places.hasRoom, places.hasRoomForFailing]).toEqual([true, false]);
    expect(take(300, (index) => `good ${index}`)).toHaveLength(128);
    expect([places.hasRoom, places.takenCount]).toEqual([false, 256]);
  });

  it('are free again once they are given back', () => {
    for (const giveBack of take(300, String, true)) giveBack();
    expect([places.takenCount, places.fullKeys]).toEqual([0, []]);
    expect(take(300, String, true)).toHaveLength(128);
  });
});
