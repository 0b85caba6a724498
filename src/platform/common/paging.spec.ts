import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { decodeCursor, encodeCursor } from './paging.js';

const SCOPE = 'listPets?status=sold';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const int64 = fc.bigInt(INT64_MIN, INT64_MAX);

/** Returns the cursor with another version and a valid checksum. */
function ofVersion(version: number): string {
  const bytes = Buffer.from(encodeCursor(SCOPE, 77n), 'base64url');
  bytes[0] = version;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 9), crc32(SCOPE)), 9);
  return bytes.toString('base64url');
}

describe('cursor', () => {
  // Computed by another implementation of the layout. A cursor outlives its release, so a change here needs a new
  // version byte.
  it.each([
    [77n, 'AQAAAAAAAABNKo3iPw'],
    [9007199254740993n, 'AQAgAAAAAAABmlrWGA'],
    [INT64_MIN, 'AYAAAAAAAAAAcdtayA'],
    [INT64_MAX, 'AX__________Nb1avQ'],
  ])('keeps its layout: %s', (lastId, text) => {
    expect(encodeCursor(SCOPE, lastId)).toBe(text);
    expect(decodeCursor(SCOPE, text)).toBe(lastId);
  });

  it('encodes any int64 in any scope as text that a URL does not escape', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), int64, (scope, lastId) => {
        const text = encodeCursor(scope, lastId);
        expect(text).toMatch(/^[A-Za-z0-9_-]{18}$/);
        expect(decodeCursor(scope, text)).toBe(lastId);
      }),
    );
  });

  it.each(['', 'listPets', 'listPets?status=sold ', 'listPets?status=pending', 'listOrders?status=sold'])(
    'does not decode in the scope %j',
    (scope) => {
      expect(() => decodeCursor(scope, encodeCursor(SCOPE, 77n))).toThrow();
    },
  );

  it('does not decode when any single character is changed, also to one of standard base64', () => {
    const text = encodeCursor(SCOPE, INT64_MAX);
    expect(text).toContain('_');
    for (let i = 0; i < text.length; i++) {
      for (const character of ALPHABET + '+/=. \n') {
        if (character === text[i]) continue;
        expect(() => decodeCursor(SCOPE, text.slice(0, i) + character + text.slice(i + 1))).toThrow();
      }
    }
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -1)],
    ['padded', (text: string) => text + '='],
    ['doubled', (text: string) => text + text],
  ])('refuses a cursor %s', (_name, change) => {
    expect(() => decodeCursor(SCOPE, change(encodeCursor(SCOPE, 77n)))).toThrow();
  });

  it('refuses another version even with a valid checksum', () => {
    expect(decodeCursor(SCOPE, ofVersion(1))).toBe(77n);
    for (const version of [0, 2]) expect(() => decodeCursor(SCOPE, ofVersion(version))).toThrow();
  });
});
