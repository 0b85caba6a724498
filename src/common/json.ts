import { isUtf8 } from 'node:buffer';
import { describeValue } from './describe-value.js';
import { NonInt64Number, parseInt64 } from './int64.js';

/** The Content-Type of every JSON response. With the charset included, Fastify sends a string unchanged. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** ECMAScript's JSON.rawJSON, which TypeScript does not declare yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => object };

/** JSON.stringify that writes a bigint exactly, as its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  const exact = (_name: string, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member;
  return JSON.stringify(value, exact, indent);
}

export type JsonValue = null | boolean | NonInt64Number | bigint | string | JsonValue[] | JsonObject;

interface JsonObject {
  [key: string]: JsonValue;
}

/** The text is not JSON. The message is for the caller: what was expected, at which position, and what was found. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * Parses JSON (RFC 8259) exactly and strictly. Besides bad syntax it refuses invalid UTF-8, a byte order mark and
 * duplicate keys in an object (compared after unescaping), with a JsonSyntaxError.
 *
 * An integer within int64 is always a `bigint`, however it is spelled (`1`, `1.0`, `10e-1`); every other number is an
 * `NonInt64Number`, which keeps its spelling. Objects have no prototype, so `__proto__` is an ordinary
 * key. Strings may hold lone surrogates, because JSON can escape them (`"\ud800"`).
 *
 * Nesting uses no call stack, and time grows linearly with the length. Code that walks the result recursively must
 * bound its own depth.
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

/** An open array or object and its parent. `key` is the key of an object's next value. */
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

/** Matches the first character that needs attention in a string. A search is twice as fast as a loop over the codes. */
// eslint-disable-next-line no-control-regex
const STRING_STOP = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const DIGITS = /\d+/y;
/** The most digits that are added up in a double without loss. */
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

  /** Skips an opening bracket, and the closing one when the container is empty. */
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
   * Stores a finished value in its container and closes every container that ends after it. Returns the container
   * that is still open, or undefined when the outermost is closed.
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

  /** The code of the next character that is not white space, or NaN at the end. */
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
      throw new JsonSyntaxError(`duplicate key ${describeValue(key)} at byte ${this.byteOffset(start)}`);
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
    // The syntax of the string is known to be valid, and JSON.parse is the fastest decoder.
    return escaped ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
  }

  private number(): bigint | NonInt64Number {
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
    // Almost every number is a short integer. This path creates no string.
    if (whole && at - first <= EXACT_DIGITS) return BigInt(first === start ? sum : -sum);
    const literal = text.slice(start, at);
    return parseInt64(literal) ?? new NonInt64Number(literal);
  }

  private digits(at: number): number {
    DIGITS.lastIndex = at;
    if (!DIGITS.test(this.text)) this.failAt(at, 'a digit');
    return DIGITS.lastIndex;
  }

  private fail(expected: string): never {
    this.failAt(this.at, expected);
  }

  private failAt(at: number, expected: string): never {
    const point = this.text.codePointAt(at);
    const found = point === undefined ? 'the end of the body' : describeValue(String.fromCodePoint(point));
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

/** The position of the first replacement character that is not part of the input. */
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
