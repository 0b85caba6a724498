import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../any-character-under-test.js';
import { JsonSyntaxError, type JsonValue, parseJson, NonInt64Number } from './parse-json.js';

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

/** The message of the refusal, or undefined when the input is accepted. Other errors are rethrown. */
function outcome(input: string | Buffer): string {
  try {
    parseJson(Buffer.from(input as string));
    return '';
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

/** Converts objects to sorted pairs and numbers to doubles, so that the results of two parsers can be compared. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return value + 0;
  if (value instanceof NonInt64Number) return Number(value.literal) + 0;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, member]) => [key, comparable(member)] as const);
  return { pairs: pairs.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

function reference(text: string): { value: unknown } | undefined {
  try {
    return { value: comparable(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

/** Sixteen times the longest body: a quadratic parser exceeds the test's time limit. */
function expectLinear(body: (length: number) => string): void {
  outcome(Buffer.from(body(16 * 65_536)));
}

describe('parseJson: any input', () => {
  it('reads the output of JSON.stringify with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' ', '\t', '\n\n'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(comparable(parse(text))).toEqual(comparable(JSON.parse(text)));
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts, except duplicate keys', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '"b":',
        '1',
        '-',
        '0',
        '.5',
        'e3',
        'true',
        'null',
        ' ',
        '\\',
        '\\u00e9',
      ],
      ...['\n', '\u0000', '[1]', '{"c":2}', '\ufeff', '\u2028', '😀'],
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const expected = reference(text);
        if (expected) {
          accepted++;
          const duplicate = /"b":.*"b":|"c":.*"c":|"a"\s*:.*"a"\s*:/s.test(text);
          if (!duplicate) expect(comparable(parse(text))).toEqual(expected.value);
        } else {
          expect(outcome(text)).toMatch(/ at byte \d+/);
        }
      }),
      { numRuns: 4_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('agrees with JSON.parse for valid text with one changed character', () => {
    const edit = fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '0', '-', '.', 'e', ' ', '\n', 'u');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), edit, (value, where, replacement) => {
        const text = JSON.stringify(value);
        const at = where % text.length;
        // Whole code points only, because UTF-8 cannot encode a lone surrogate.
        const changed = text.slice(0, at) + replacement + text.slice(at + 1);
        fc.pre(changed.isWellFormed());
        const expected = reference(changed);
        if (!expected) expect(outcome(changed)).toMatch(/ at byte \d+/);
        else if (!outcome(changed).includes('duplicate')) {
          expect(comparable(parse(changed))).toEqual(expected.value);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('throws only short, printable syntax errors for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        const text = outcome(buffer);
        expect(text.length).toBeLessThanOrEqual(120);
        expect(text).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps the message short and printable for any repeated key', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (key) => {
        const member = `${JSON.stringify(key)}:1`;
        const message = outcome(`{${member},${member}}`);
        expect(message).toMatch(/^duplicate key "/);
        expect(message.length).toBeLessThanOrEqual(120);
        expect(message).not.toMatch(/\p{Cc}/u);
        expect(message.isWellFormed()).toBe(true);
      }),
    );
  });

  it('keeps every int64 exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        expect(parse(`[${value.toString()}]`)).toEqual([value]);
      }),
    );
  });
});

describe('parseJson: hostile input', () => {
  it('parses nested values without recursion', () => {
    const depth = 200_000;
    let value = parse('['.repeat(depth) + ']'.repeat(depth));
    let counted = 0;
    while (Array.isArray(value)) {
      counted++;
      value = value[0] ?? null;
    }
    expect(counted).toBe(depth);
    expect(outcome('['.repeat(65_536))).toBe(
      "expected a value or ']' at byte 65536, found the end of the body",
    );
    expect(outcome('{"a":'.repeat(13_000))).toBe('expected a value at byte 65000, found the end of the body');
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
    expectLinear(body);
  });
});
