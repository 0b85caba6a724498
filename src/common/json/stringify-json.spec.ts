import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { NonInt64Number } from '../int64.js';
import { parseJson, stringifyJson } from '../json.js';

/** Converts a number that is not an int64 to a double. */
function withDoubles(value: unknown): unknown {
  if (value instanceof NonInt64Number) return Number(value.literal);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDoubles(member)]));
}

describe('stringifyJson', () => {
  it('writes a bigint as its digits, at any depth', () => {
    expect(stringifyJson({ id: 9007199254740993n, list: [-(2n ** 63n), 2n ** 80n] })).toBe(
      '{"id":9007199254740993,"list":[-9223372036854775808,1208925819614629174706176]}',
    );
  });

  it('is reversed by parseJson, which distinguishes bigints from doubles', () => {
    const scalar = fc.oneof(
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
      fc.string({ unit: anyCharacter }),
      fc.boolean(),
      fc.constant(null),
    );
    const { value: any } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(any, (value) => {
        const bytes = Buffer.from(stringifyJson(value));
        expect(withDoubles(parseJson(bytes))).toEqual(value);
      }),
    );
  });
});
