import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.js';

/** One of these texts. */
export const wordOf = (words: string, separator = ' ') => fc.constantFrom(...words.split(separator));
/** One of the text's characters. */
export const oneOf = (characters: string) => fc.constantFrom(...Array.from(characters));

/** Numbers at which implementations fail: the bounds of int32, of the exact integers of a double, and of int64. */
const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 30n].flatMap((edge) =>
  [edge - 1n, edge, edge + 1n, -edge].map(String),
);
/** Integers and invalid integers as text. */
export const integer = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 300 }).map(String) },
  wordOf('|-|+1|1.0|1e2|0x1|01|1_000|١|1.5|NaN|Infinity| 1|1 |-0', '|'),
);

/** Any text: ASCII, Unicode graphemes, and any code points. */
export const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  wordOf("\0|\u202e|\u2028|\ufeff|\x7f|' or 1=1 --|${7*7}|%s%n|../../etc/passwd", '|'),
  wordOf('__proto__ constructor hasOwnProperty toString null undefined true'),
);
