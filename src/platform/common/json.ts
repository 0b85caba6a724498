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

/** A body that PostgreSQL has written as JSON. The handler of a read may return it instead of a DTO. */
export class JsonBody {
  constructor(readonly json: string) {}
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
 * Parses JSON (RFC 8259) exactly and strictly. Besides bad syntax it refuses invalid UTF-8 and duplicate keys in an object
 * (compared after unescaping), with a JsonSyntaxError.
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
  if (!isUtf8(bytes)) {
    const at = Buffer.from(text).findIndex((byte, index) => byte !== bytes[index]);
    throw new JsonSyntaxError(`invalid UTF-8 at byte ${at}`);
  }
  return new Parser(text).parse();
}

type Container = JsonObject | JsonValue[];

const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A string up to its closing quote, or up to the first character that may not follow. */
// eslint-disable-next-line no-control-regex
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\u0000-\u001f]*)*/y;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): JsonValue {
    const root: JsonValue[] = [];
    /** The containers around `inner`. */
    const outer: Container[] = [];
    let inner: Container = root;
    let key = '';
    do {
      const opened = this.opened();
      const value = opened ?? this.scalar();
      if (Array.isArray(inner)) inner.push(value);
      else inner[key] = value;
      if (opened) {
        outer.push(inner);
        inner = opened;
      }
      while (inner !== root && this.skips(closingOf(inner))) inner = outer.pop() ?? root;
      const isFirst = inner === opened;
      if (inner !== root && !isFirst && !this.skips(',')) this.fail(`',' or '${closingOf(inner)}'`);
      if (!Array.isArray(inner)) key = this.key(inner);
    } while (inner !== root);
    if (this.next() !== '') this.fail('the end of the body');
    return root[0] ?? null;
  }

  private opened(): Container | undefined {
    if (this.skips('{')) return Object.create(null) as JsonObject;
    return this.skips('[') ? [] : undefined;
  }

  private key(object: JsonObject): string {
    if (this.next() !== '"') this.fail('a key in double quotes');
    const start = this.at;
    const key = this.string();
    if (key in object) {
      throw new JsonSyntaxError(`duplicate key ${describeValue(key)} at byte ${this.byteOffset(start)}`);
    }
    if (!this.skips(':')) this.fail("':'");
    return key;
  }

  private scalar(): JsonValue {
    if (this.text[this.at] === '"') return this.string();
    const number = this.match(NUMBER);
    if (number !== undefined) return parseInt64(number) ?? new NonInt64Number(number);
    const word = this.match(WORD) ?? this.fail('a value');
    return word === 'null' ? null : word === 'true';
  }

  private string(): string {
    const literal = this.match(STRING) ?? '';
    if (this.text[this.at] !== '"') this.fail('the rest of a string');
    this.at++;
    // The syntax of the string is known to be valid, and JSON.parse is the fastest decoder.
    return literal.includes('\\') ? (JSON.parse(`${literal}"`) as string) : literal.slice(1);
  }

  /** Skips white space, and this character if it follows. */
  private skips(character: string): boolean {
    const follows = this.next() === character;
    if (follows) this.at++;
    return follows;
  }

  /** The next character that is not white space; empty at the end. */
  private next(): string {
    const { text } = this;
    let { at } = this;
    let character = text.charAt(at);
    while (character === ' ' || character === '\n' || character === '\r' || character === '\t')
      character = text.charAt(++at);
    this.at = at;
    return character;
  }

  private match(pattern: RegExp): string | undefined {
    const { at } = this;
    pattern.lastIndex = at;
    if (!pattern.test(this.text)) return undefined;
    this.at = pattern.lastIndex;
    return this.text.slice(at, this.at);
  }

  private fail(expected: string): never {
    const point = this.text.codePointAt(this.at);
    const found = point === undefined ? 'the end of the body' : describeValue(String.fromCodePoint(point));
    throw new JsonSyntaxError(`expected ${expected} at byte ${this.byteOffset(this.at)}, found ${found}`);
  }

  private byteOffset(at: number): number {
    return Buffer.byteLength(this.text.slice(0, at));
  }
}

const closingOf = (container: Container) => (Array.isArray(container) ? ']' : '}');
