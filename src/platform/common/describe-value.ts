import { NonInt64Number } from './int64.js';
import { redactApiKeys } from './redact.js';

/** Counted with the escapes, so that the message of several fields has room for all of them. */
const SHOWN_CHARACTERS = 60;
/** Control and format characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Describes a received value for a validation error's message: short, printable, on one line. An API key that was put
 * into the wrong field is redacted.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return describeText(value);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (value instanceof NonInt64Number) return shortened(value.literal);
  return Array.isArray(value) ? 'an array' : 'an object';
}

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  let shown = '';
  for (const character of redactApiKeys(text).toWellFormed()) {
    const next = printable(character);
    if (shown.length + next.length > SHOWN_CHARACTERS)
      return `"${shown}"… (${Array.from(text).length} characters)`;
    shown += next;
  }
  return `"${shown}"`;
}

function shortened(literal: string): string {
  return literal.length > SHOWN_CHARACTERS ? `${literal.slice(0, SHOWN_CHARACTERS)}…` : literal;
}

/** Escapes what JSON escapes, and what a terminal, a log or a page would interpret instead of showing. */
function printable(character: string): string {
  return JSON.stringify(character)
    .slice(1, -1)
    .replace(UNPRINTABLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}
