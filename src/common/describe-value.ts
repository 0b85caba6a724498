import { NonInt64Number } from './int64.js';
import { redactApiKeys } from './redact.js';

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
  const shown = redactApiKeys(text).toWellFormed();
  const start = JSON.stringify(
    Array.from(shown.slice(0, 2 * SHOWN_CHARACTERS))
      .slice(0, SHOWN_CHARACTERS)
      .join(''),
  );
  const quoted = printable(start);
  return shown.length > SHOWN_CHARACTERS ? `${quoted}… (${text.length} characters)` : quoted;
}

function shortened(literal: string): string {
  return literal.length > SHOWN_CHARACTERS ? `${literal.slice(0, SHOWN_CHARACTERS)}…` : literal;
}

/** Escapes the characters that a terminal, a log or a page would interpret instead of showing. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
