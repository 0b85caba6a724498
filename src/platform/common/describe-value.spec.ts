import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { describeValue } from './describe-value.js';

describe('describeValue', () => {
  it.each([
    ['Rex', '"Rex"'],
    ['a\nb', '"a\\nb"'],
    ['\x9b31m', '"\\u{9b}31m"'],
    ['\x7f', '"\\u{7f}"'],
    ['\u202egnp.exe', '"\\u{202e}gnp.exe"'],
    ['a\u2028b', '"a\\u{2028}b"'],
    ['“Rex” é 🐕', '"“Rex” é 🐕"'],
    ['🐕'.repeat(30), `"${'🐕'.repeat(30)}"`],
    ['🐕'.repeat(256), `"${'🐕'.repeat(30)}"… (256 characters)`],
    ['\u{e0001}'.repeat(7), `"${'\\u{e0001}'.repeat(6)}"… (7 characters)`],
    ['x'.repeat(61), `"${'x'.repeat(60)}"… (61 characters)`],
  ])('shows %j as %s', (text, shown) => {
    expect(describeValue(text)).toBe(shown);
  });

  it('is short and printable for any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        const shown = describeValue(text);
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(shown.length).toBeLessThan(90);
      }),
    );
  });
});
