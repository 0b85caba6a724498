import { NonInt64Number, parseInt64 } from '../../../common/int64.js';

/* How a value is read for a field, by the field's type. What cannot be read stays as it came, for the rules to refuse. */

/** A value of a JSON body: an integer is a bigint, which only a field of that type keeps. */
export function exactly(value: unknown, type: unknown): unknown {
  if (type !== Number) return value;
  if (value instanceof NonInt64Number) return Number(value.literal);
  return typeof value === 'bigint' ? Number(value) : value;
}

/** The text of a query parameter. */
export function fromText(text: string, type: unknown): unknown {
  if (type === BigInt) return parseInt64(text) ?? text;
  if (type === Number) return numberOf(text) ?? text;
  if (type === Boolean) return text === 'true' || (text !== 'false' && text);
  return text;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberOf(text: string): number | undefined {
  const integer = parseInt64(text);
  if (integer !== undefined) return Number(integer);
  return JSON_NUMBER.test(text) ? Number(text) : undefined;
}
