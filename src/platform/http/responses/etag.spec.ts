import { describe, expect, it } from '@jest/globals';
import { entityTagOf, ifMatchHolds, ifNoneMatchHolds } from './etag.js';

const TAG = entityTagOf('{"id":1}');

describe('an entity tag', () => {
  it('is strong, and the same only for the same JSON', () => {
    expect(TAG).toMatch(/^"[\w-]{27}"$/);
    expect(entityTagOf('{"id":1}')).toBe(TAG);
    expect(entityTagOf('{"id":2}')).not.toBe(TAG);
  });

  it.each([
    ['no header', undefined, true, false],
    ['the tag', TAG, true, true],
    ['the tag in a list', `"a", ${TAG} , "b"`, true, true],
    ['a list without spaces', `"a",${TAG}`, true, true],
    ['any tag', ' * ', true, true],
    ['the weak tag', `W/${TAG}`, false, true],
    ['another tag', '"a"', false, false],
    ['a star among tags', '"a", *', false, false],
    ['the tag between empty members of a list', `, ${TAG},,`, true, true],
    ['the tag behind a small w', `w/${TAG}`, false, false],
    ['the tag behind another without a comma', `"a" ${TAG}`, false, false],
    ['the tag in front of other text', `${TAG}x`, false, false],
    ['the tag without quotes', TAG.slice(1, -1), false, false],
    ['an empty header', '', false, false],
  ])('is compared with %s', (_what, header, matches, isHeld) => {
    expect(ifMatchHolds(header, TAG)).toBe(matches);
    expect(ifNoneMatchHolds(header, TAG)).toBe(isHeld);
  });
});
