import { isUtf8 } from 'node:buffer';
import { parseInt64, skipDigits } from '../int64.js';
import { printable } from '../printable.js';

export type JsonValue = null | boolean | OtherNumber | bigint | string | JsonValue[] | JsonObject;

/** A number that is no int64, as it was written: any other form of it could be rounded. */
export class OtherNumber {
  constructor(readonly literal: string) {}
}
interface JsonObject {
  [key: string]: JsonValue;
}

/** The text is no JSON. The message is meant for the caller: what was expected, where, and what stood there. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * Parses JSON (RFC 8259) exactly and strictly. Refused with a JsonSyntaxError besides bad syntax: invalid UTF-8, a
 * byte order mark, and an object with the same key twice (compared as the strings they spell).
 *
 * An integer within int64 is always a `bigint`, however it is spelled (`1`, `1.0`, `10e-1`); every other number is an
 * `OtherNumber`, which keeps its spelling. Objects have no prototype, which makes `__proto__` a key
 * like any other. Strings may hold lone surrogates, which JSON can spell (`"\ud800"`).
 *
 * Depth costs no stack, and time grows linearly with the length. Code that walks the result recursively has to bound
 * its depth by itself.
 */
export function parseJson(bytes: Buffer): JsonValue {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw new JsonSyntaxError(`invalid UTF-8 at byte ${firstInvalidByte(bytes, text)}`);
  if (text.charCodeAt(0) === 0xfeff) {
    throw new JsonSyntaxError('expected JSON without a byte order mark, found one at byte 0');
  }
  return new Parser(text).parse();
}

type Container = JsonObject | JsonValue[];

/** A container that is still open, and the one around it; `key` is where an object's next value goes. */
interface Frame {
  readonly parent: Frame | undefined;
  readonly container: Container;
  key: string;
}

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where a run of characters that stand for themselves ends. Searching for it is twice as fast as a loop over codes. */
// eslint-disable-next-line no-control-regex
const STRING_STOP = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
/** Up to this many digits are summed up in a double without loss. */
const EXACT_DIGITS = 15;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): JsonValue {
    let root: JsonValue = null;
    let frame: Frame | undefined;
    do {
      const code = this.next();
      const container = emptyContainer(code);
      const value = container ?? this.scalar(code, frame);
      if (frame === undefined) root = value;
      frame =
        container && !this.closesAtOnce(container) ? this.enter(container, frame) : this.settle(value, frame);
    } while (frame !== undefined);
    if (!Number.isNaN(this.next())) this.fail('the end of the body');
    return root;
  }

  /** Steps over an opening bracket, and over the closing one when nothing is between them. */
  private closesAtOnce(container: Container): boolean {
    this.at++;
    const closes = this.next() === (Array.isArray(container) ? CLOSE_LIST : CLOSE_OBJECT);
    if (closes) this.at++;
    return closes;
  }

  private enter(container: Container, parent: Frame | undefined): Frame {
    const key = Array.isArray(container) ? '' : this.key(container, "a key in double quotes or '}'");
    return { parent, container, key };
  }

  /**
   * Puts a finished value where it belongs, and closes every container that ends behind it. Answers with the one
   * that goes on, undefined once the outermost is closed.
   */
  private settle(value: JsonValue, frame: Frame | undefined): Frame | undefined {
    while (frame !== undefined) {
      const { container } = frame;
      const isList = Array.isArray(container);
      if (isList) container.push(value);
      else container[frame.key] = value;

      const code = this.next();
      if (code === COMMA) {
        this.at++;
        if (!isList) frame.key = this.key(container, 'a key in double quotes');
        return frame;
      }
      if (code !== (isList ? CLOSE_LIST : CLOSE_OBJECT)) this.fail(isList ? "',' or ']'" : "',' or '}'");
      this.at++;
      value = container;
      frame = frame.parent;
    }
    return undefined;
  }

  /** The code of the next character that is no white space, NaN at the end. */
  private next(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    this.at = at;
    return code;
  }

  private key(object: JsonObject, expected: string): string {
    if (this.next() !== QUOTE) this.fail(expected);
    const start = this.at;
    const key = this.string();
    if (key in object) {
      throw new JsonSyntaxError(`duplicate key ${quote(key)} at byte ${this.byteOffset(start)}`);
    }
    if (this.next() !== COLON) this.fail("':'");
    this.at++;
    return key;
  }

  private scalar(code: number, frame: Frame | undefined): JsonValue {
    if (code === QUOTE) return this.string();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.number();
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const mayClose = Array.isArray(frame?.container) && frame.container.length === 0;
    return this.fail(mayClose ? "a value or ']'" : 'a value');
  }

  private string(): string {
    const { text } = this;
    const start = this.at;
    let escaped = false;
    let at = start + 1;
    for (;;) {
      STRING_STOP.lastIndex = at;
      if (!STRING_STOP.test(text)) this.failAt(text.length, "a closing '\"'");
      at = STRING_STOP.lastIndex - 1;
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) this.failAt(at, 'control characters to be escaped');
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) this.failAt(at, 'a valid escape sequence');
      at = ESCAPE.lastIndex;
      escaped = true;
    }
    this.at = at + 1;
    // What is left to do for a string of known good syntax is decoding, and nothing does that faster.
    return escaped ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
  }

  private number(): bigint | OtherNumber {
    const { text } = this;
    const start = this.at;
    const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
    let at = first;
    let sum = 0;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at)) {
      sum = sum * 10 + (code - ZERO);
    }
    if (at === first) this.failAt(at, 'a digit');
    if (text.charCodeAt(first) === ZERO && at > first + 1)
      this.failAt(first, 'a number without leading zeros');

    let whole = true;
    if (text[at] === '.') {
      whole = false;
      at = this.digits(at + 1);
    }
    if (text[at] === 'e' || text[at] === 'E') {
      whole = false;
      const sign = text[at + 1];
      at = this.digits(sign === '+' || sign === '-' ? at + 2 : at + 1);
    }
    this.at = at;
    // Nearly every number is a short integer; this saves it a string and a second look.
    if (whole && at - first <= EXACT_DIGITS) return BigInt(first === start ? sum : -sum);
    const literal = text.slice(start, at);
    return parseInt64(literal) ?? new OtherNumber(literal);
  }

  private digits(at: number): number {
    const end = skipDigits(this.text, at);
    if (end === at) this.failAt(at, 'a digit');
    return end;
  }

  private fail(expected: string): never {
    this.failAt(this.at, expected);
  }

  private failAt(at: number, expected: string): never {
    const point = this.text.codePointAt(at);
    const found = point === undefined ? 'the end of the body' : quote(String.fromCodePoint(point));
    throw new JsonSyntaxError(`expected ${expected} at byte ${this.byteOffset(at)}, found ${found}`);
  }

  private byteOffset(at: number): number {
    return Buffer.byteLength(this.text.slice(0, at));
  }
}

function emptyContainer(code: number): Container | undefined {
  if (code === OPEN_OBJECT) return Object.create(null) as JsonObject;
  return code === OPEN_LIST ? [] : undefined;
}

const LONGEST_QUOTE = 40;

/** Text of the caller's for a message: in quotes, shortened, and nothing in it that a terminal or a log would obey. */
function quote(text: string): string {
  let shown = '';
  for (const character of text) {
    if (shown.length >= LONGEST_QUOTE) return `"${shown}…"`;
    if (character === '"' || character === '\\') shown += `\\${character}`;
    else shown += printable(character);
  }
  return `"${shown}"`;
}

/** Where decoding first put a replacement character that the bytes themselves do not spell. */
function firstInvalidByte(bytes: Buffer, decoded: string): number {
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = decoded.indexOf('\ufffd', from);
    offset += Buffer.byteLength(decoded.slice(from, at));
    if (bytes.toString('hex', offset, offset + 3) !== 'efbfbd') return offset;
    offset += 3;
    from = at + 1;
  }
}
