import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { NonInt64Number } from './int64.js';
import { JsonSyntaxError, type JsonValue, parseJson, stringifyJson } from './json.js';

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

/** The message of the refusal; undefined when the input is accepted. Other errors are rethrown. */
function refusal(input: string | Buffer): string | undefined {
  try {
    parseJson(Buffer.from(input as string));
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

/** Converts objects to sorted pairs, numbers to doubles and \u2216 to a backslash, so that the results of two parsers can be compared. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return value + 0;
  if (value instanceof NonInt64Number) return Number(value.literal) + 0;
  if (typeof value === 'string') return value.replaceAll('\u2216', '\\');
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map((pair) => pair.map(comparable) as [string, unknown]);
  return { pairs: pairs.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

describe('parseJson: values', () => {
  it('reads a body', () => {
    const value = parse(
      ' {"name":"Rex","categoryId":9007199254740993,"tags":[true,false,null,{}],"weight":1.5}\r\n\t',
    );
    expect(value).toEqual({
      name: 'Rex',
      categoryId: 9007199254740993n,
      tags: [true, false, null, {}],
      weight: new NonInt64Number('1.5'),
    });
  });

  it.each<[string, JsonValue]>([
    ['-0', 0n],
    ['10e-1', 1n],
    ['-12', -12n],
    ['999999999999999', 999999999999999n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775808', new NonInt64Number('9223372036854775808')],
    ['1e999', new NonInt64Number('1e999')],
    ['1.00000000000000000001', new NonInt64Number('1.00000000000000000001')],
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', 'a"\\/\b\f\n\r\té'],
    ['"\\ud800"', '\ud800'],
    ['"\u007f\u2028é😀\ufeff"', '\u007f\u2028é😀\ufeff'],
  ])('reads %s', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it('creates objects without a prototype, in which __proto__ is a normal key', () => {
    const value = parse('{"__proto__":{"admin":true},"constructor":1,"toString":2}') as Record<
      string,
      JsonValue
    >;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(value.__proto__)).toBeNull();
    expect('admin' in value).toBe(false);
    expect(Object.getPrototypeOf(parse('{}'))).toBeNull();
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

describe('parseJson: refusals', () => {
  it.each([
    ['', 'expected a value at byte 0, found the end of the body'],
    ['{} x', 'expected the end of the body at byte 3, found "x"'],
    ['{', 'expected a key in double quotes at byte 1, found the end of the body'],
    ['{"a"}', 'expected \':\' at byte 4, found "}"'],
    ['{"a":}', 'expected a value at byte 5, found "}"'],
    ['{"a":1,}', 'expected a key in double quotes at byte 7, found "}"'],
    ['{"a":1 "b":2}', "expected ',' or '}' at byte 7, found \"\\\"\""],
    ['[', 'expected a value at byte 1, found the end of the body'],
    ['[1}', "expected ',' or ']' at byte 2, found \"}\""],
    ['{"a":[}', 'expected a value at byte 6, found "}"'],
    ['01', 'expected the end of the body at byte 1, found "1"'],
    ['1.e5', 'expected the end of the body at byte 1, found "."'],
    ['+1', 'expected a value at byte 0, found "+"'],
    ['"abc', 'expected the rest of a string at byte 4, found the end of the body'],
    ['"a\\x"', 'expected the rest of a string at byte 2, found "\\\\"'],
    ['"a\nb"', 'expected the rest of a string at byte 2, found "\\n"'],
    ['["é😀" x', "expected ',' or ']' at byte 10, found \"x\""],
    ['{"a":1,"a":1}', 'duplicate key "a" at byte 7'],
    ['{"a":1,"b":2,"\\u0061":3}', 'duplicate key "a" at byte 13'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate key "__proto__" at byte 15'],
    ['{"1":1,"\\u0031":2}', 'duplicate key "1" at byte 7'],
    ['\ufeff{}', 'expected a value at byte 0, found "\\u{feff}"'],
  ])('refuses %j', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it.each([
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00], 0],
    ['a stray byte', [0x22, 0x80, 0x22], 1],
    ['a cut sequence', [0x22, 0xc3, 0x22], 1],
    ['an overlong slash', [0x22, 0x61, 0xc0, 0xaf, 0x22], 2],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ['beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    ['after a replacement character in the input', [0x22, 0xef, 0xbf, 0xbd, 0xc3, 0xa9, 0xef, 0xbf, 0x22], 8],
    ['cut at the end', [0x22, 0xef, 0xbf], 3],
  ])('refuses invalid UTF-8: %s', (_name, bytes, at) => {
    expect(refusal(Buffer.from(bytes))).toBe(`invalid UTF-8 at byte ${at}`);
  });
});

describe('parseJson: any input', () => {
  /**
   * V8 may take a key with an escape for another key of the realm that ends in a backslash (nodejs/node#63785), so no object of
   * this realm has such a key.
   */
  const otherJson = runInNewContext('JSON') as typeof JSON;

  /** Compares with JSON.parse, which accepts the same texts except for duplicate keys. */
  function expectLikeJsonParse(text: string): void {
    const message = refusal(text);
    if (message?.startsWith('duplicate key')) return;
    let expected: unknown;
    try {
      expected = otherJson.parse(text.replaceAll('\\\\', '\\u2216'));
    } catch {
      expect(message).toMatch(/ at byte \d+/);
      return;
    }
    expect(comparable(parse(text))).toEqual(comparable(expected));
  }

  it('is accepted or refused as by JSON.parse when it is a sequence of tokens', () => {
    const tokens =
      '{ } [ ] , : " "a" "b": 1 - 0 .5 e3 true null \\ \\u00e9 [1] {"c":2} \ufeff \u2028 😀'.split(' ');
    const token = fc.constantFrom(...tokens, ' ', '\n', '\0');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (pieces) => expectLikeJsonParse(pieces.join(''))),
      { numRuns: 4_000 },
    );
  });

  it('is accepted or refused as by JSON.parse when it is JSON with one changed character', () => {
    const edit = fc.constantFrom('', ' ', '\n', ...'" \\ { ] , : 0 - . e u'.split(' '));
    const space = fc.constantFrom('', ' ', '\t', '\n\n');
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        space,
        fc.nat(),
        edit,
        (value, indent, where, replacement) => {
          const text = JSON.stringify(value, null, indent);
          expectLikeJsonParse(text);
          const at = where % text.length;
          const changed = text.slice(0, at) + replacement + text.slice(at + 1);
          // UTF-8 cannot encode half of a character.
          if (changed.isWellFormed()) expectLikeJsonParse(changed);
        },
      ),
      // The second text is the first one with the key a" instead of a\\.
      { numRuns: 2_000, examples: [[{ first: 1, 'a\\': 1 }, '', 14, '"']] },
    );
  });

  it('is refused with a short and printable message', () => {
    const repeatedKey = fc.string({ unit: anyCharacter, maxLength: 200 }).map((key) => {
      const member = `${JSON.stringify(key)}:1`;
      return Buffer.from(`{${member},${member}}`);
    });
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.oneof(repeatedKey, bytes), (input) => {
        const message = refusal(input) ?? '';
        expect(message.length).toBeLessThan(800);
        expect(message).not.toMatch(/\p{Cc}/u);
        expect(message.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('parseJson: hostile input', () => {
  it('needs no call stack for nested values', () => {
    const depth = 200_000;
    let value = parse('['.repeat(depth) + ']'.repeat(depth));
    let counted = 0;
    for (; Array.isArray(value); value = value[0] ?? null) counted += 1;
    expect(counted).toBe(depth);
    expect(refusal('{"a":'.repeat(13_000))).toBe('expected a value at byte 65000, found the end of the body');
  });

  it.each<[string, (length: number) => string]>([
    ['brackets', (length) => '['.repeat(length)],
    ['many keys', (length) => `{${Array.from({ length: length / 10 }, (_, i) => `"k${i}":1`).join()}}`],
    [
      'many numeric keys',
      (length) => `{${Array.from({ length: length / 10 }, (_, i) => `"${i}":1`).join()}}`,
    ],
    ['escapes', (length) => `"${'\\n'.repeat(length / 2)}"`],
    ['an open string of escapes', (length) => `"${'\\\\'.repeat(length / 2)}`],
    ['a long number', (length) => '7'.repeat(length)],
    ['a long fraction', (length) => `0.${'0'.repeat(length)}1e${length}`],
    ['a long exponent', (length) => `1e${'9'.repeat(length)}`],
    ['many strings', (length) => `[${'"",'.repeat(length / 3)}0]`],
    ['white space', (length) => ' '.repeat(length)],
    ['replacement characters before a bad byte', (length) => `"${'\ufffd'.repeat(length / 3)}\u0000`],
  ])('parses in linear time: %s', (_name, body) => {
    // Sixteen times the longest body: a quadratic parser exceeds the test's time limit.
    refusal(body(16 * 65_536));
  });
});

/** Converts a number that is not an int64 to a double. */
function withDoubles(value: unknown): unknown {
  if (value instanceof NonInt64Number) return Number(value.literal);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDoubles(member)]));
}

describe('stringifyJson', () => {
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
