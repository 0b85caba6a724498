import { describe, expect, it } from '@jest/globals';
import { ifMatchFailed, ifNoneMatchFailed } from '../../common/errors/common.errors.js';
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

describe('the message of a 412', () => {
  const quoted = (suffix: string) => TAG.replace(/"$/, `${suffix}"`);

  it.each([
    `W/${TAG}`,
    quoted('-gzip'),
    quoted('--gzip'),
    quoted('-br'),
    `W/${quoted('-gzip')}`,
    `"a", W/${TAG}`,
  ])('names the weak tag as the cause: %s', (got) => {
    const { message } = ifMatchFailed(got, TAG);
    expect(message).toContain(`expected ${TAG}, got ${got}. A proxy that compresses`);
  });

  it.each(['"a"', 'W/"a"', '"a-gzip"', TAG.slice(1, -1)])('names the state as the cause: %s', (got) => {
    expect(ifMatchFailed(got, TAG).message).toBe(
      `If-Match: expected ${TAG}, got ${got}. The state has changed, or the tag is not the one of this resource.`,
    );
  });

  it('shows no control characters, and the start of a long header', () => {
    expect(ifMatchFailed('', TAG).message).toContain('got an empty header.');
    expect(ifMatchFailed('"\x80\xff"', TAG).message).toContain('got "??".');
    expect(ifNoneMatchFailed('a'.repeat(16_000)).message.length).toBeLessThan(300);
  });

  it('says which tag matched', () => {
    expect(ifNoneMatchFailed('*', TAG).message).toBe(
      `If-None-Match: expected no tag of the current state, which is ${TAG}, got *.`,
    );
  });
});
