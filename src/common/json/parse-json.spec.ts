import { describe, expect, it } from '@jest/globals';
import { JsonSyntaxError, type JsonValue, parseJson, NonInt64Number } from './parse-json.js';

const parse = (text: string): JsonValue => parseJson(Buffer.from(text));

/** The message of the refusal. Fails when the input is accepted or another error is thrown. */
function refusal(input: string | Buffer): string {
  try {
    parseJson(Buffer.from(input as string));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
  throw new Error('accepted');
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
    ['1', 1n],
    ['-0', 0n],
    ['0', 0n],
    ['1.0', 1n],
    ['1e2', 100n],
    ['10e-1', 1n],
    ['-12', -12n],
    ['999999999999999', 999999999999999n],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', new NonInt64Number('9223372036854775808')],
    ['-9223372036854775809', new NonInt64Number('-9223372036854775809')],
    ['0.5', new NonInt64Number('0.5')],
    ['-1.5E+3', -1500n],
    ['1e999', new NonInt64Number('1e999')],
    ['1.00000000000000000001', new NonInt64Number('1.00000000000000000001')],
    ['null', null],
    ['true', true],
    ['false', false],
    ['""', ''],
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', 'a"\\/\b\f\n\r\té'],
    ['"\\ud800"', '\ud800'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\u007f\u2028é😀"', '\u007f\u2028é😀'],
    ['"\ufeff"', '\ufeff'],
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

  it('allows the same key in different objects', () => {
    expect(parse('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}')).toEqual({
      a: { a: [{ a: 1n }, { a: 2n }] },
      b: { a: 3n },
    });
  });
});

describe('parseJson: refusals', () => {
  it.each([
    ['', 'expected a value at byte 0, found the end of the body'],
    [' \n\t', 'expected a value at byte 3, found the end of the body'],
    ['{} x', 'expected the end of the body at byte 3, found "x"'],
    ['1 2', 'expected the end of the body at byte 2, found "2"'],
    ['{', "expected a key in double quotes or '}' at byte 1, found the end of the body"],
    ['{"a"}', 'expected \':\' at byte 4, found "}"'],
    ['{"a":}', 'expected a value at byte 5, found "}"'],
    ['{"a":1,}', 'expected a key in double quotes at byte 7, found "}"'],
    ['{"a":1 "b":2}', "expected ',' or '}' at byte 7, found \"\\\"\""],
    ["{'a':1}", "expected a key in double quotes or '}' at byte 1, found \"'\""],
    ['[', "expected a value or ']' at byte 1, found the end of the body"],
    ['[1,]', 'expected a value at byte 3, found "]"'],
    ['[1}', "expected ',' or ']' at byte 2, found \"}\""],
    ['{"a":[}', 'expected a value or \']\' at byte 6, found "}"'],
    ['01', 'expected a number without leading zeros at byte 0, found "0"'],
    ['-', 'expected a digit at byte 1, found the end of the body'],
    ['1.e5', 'expected a digit at byte 2, found "e"'],
    ['1e+', 'expected a digit at byte 3, found the end of the body'],
    ['+1', 'expected a value at byte 0, found "+"'],
    ['NaN', 'expected a value at byte 0, found "N"'],
    ['truE', 'expected a value at byte 0, found "t"'],
    ['nullx', 'expected the end of the body at byte 4, found "x"'],
    ['"abc', "expected a closing '\"' at byte 4, found the end of the body"],
    ['"a\\x"', 'expected a valid escape sequence at byte 2, found "\\\\"'],
    ['"\\u123"', 'expected a valid escape sequence at byte 1, found "\\\\"'],
    ['"\\u12g4"', 'expected a valid escape sequence at byte 1, found "\\\\"'],
    ['"a\nb"', 'expected control characters to be escaped at byte 2, found "\\u{a}"'],
    ['["é😀" x', "expected ',' or ']' at byte 10, found \"x\""],
    ['/* c */ 1', 'expected a value at byte 0, found "/"'],
    ['1\u00a0', 'expected the end of the body at byte 1, found "\u00a0"'],
    ['\u0000', 'expected a value at byte 0, found "\\u{0}"'],
  ])('refuses %j', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it.each([
    ['{"a":1,"a":1}', 'duplicate key "a" at byte 7'],
    ['{"a":1,"b":2,"\\u0061":3}', 'duplicate key "a" at byte 13'],
    ['{"x":[{"k":{},"k":[]}]}', 'duplicate key "k" at byte 14'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate key "__proto__" at byte 15'],
    ['{"":1,"":2}', 'duplicate key "" at byte 6'],
    ['{"1":1,"\\u0031":2}', 'duplicate key "1" at byte 7'],
    ['{"a":null,"a":2}', 'duplicate key "a" at byte 10'],
  ])('refuses the same key twice: %s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it('shortens a key in its message and escapes its control characters', () => {
    const long = `${'k'.repeat(39)}😀${'z'.repeat(1000)}`;
    expect(refusal(`{"${long}":1,"${long}":2}`)).toBe(`duplicate key "${'k'.repeat(39)}😀…" at byte 1049`);
    expect(refusal('{"\\u001b[31m\u202e\\ud800\u0085":1,"\\u001b[31m\u202e\\ud800\u0085":2}')).toBe(
      'duplicate key "\\u{1b}[31m\\u{202e}\\u{d800}\\u{85}" at byte 27',
    );
  });

  it('refuses a leading byte order mark', () => {
    expect(refusal('\ufeff{}')).toBe('expected JSON without a byte order mark, found one at byte 0');
    expect(refusal(Buffer.from('\ufeff{}', 'utf16le'))).toBe('invalid UTF-8 at byte 0');
  });

  it.each([
    ['a stray byte', [0x22, 0x80, 0x22], 1],
    ['a cut sequence', [0x22, 0xc3, 0x22], 1],
    ['an overlong slash', [0x22, 0x61, 0xc0, 0xaf, 0x22], 2],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ['beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    ['after a replacement character in the input', [0x22, 0xef, 0xbf, 0xbd, 0xc3, 0xa9, 0xef, 0xbf, 0x22], 6],
    ['cut at the end', [0x22, 0xef, 0xbf], 1],
  ])('refuses invalid UTF-8: %s', (_name, bytes, at) => {
    expect(refusal(Buffer.from(bytes))).toBe(`invalid UTF-8 at byte ${at}`);
  });
});
