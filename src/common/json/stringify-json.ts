/** What needs an escape, or an answer from somebody who knows: JSON.stringify. */
// eslint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * Plain data as JSON, like JSON.stringify, except that a bigint is written as its digits, exactly. Members that are
 * undefined are left out, undefined in a list is null, a Date is its ISO 8601 text.
 *
 * Throws a TypeError for what JSON cannot say: NaN, the infinities, functions, symbols, and undefined on its own; a
 * RangeError for an invalid Date, and for nesting deeper than the stack.
 */
export function stringifyJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'bigint':
    case 'boolean':
      return value.toString();
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
      return value.toString();
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return stringifyList(value);
      if (value instanceof Date) return `"${value.toISOString()}"`;
      return stringifyObject(value as Record<string, unknown>);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function stringifyList(list: readonly unknown[]): string {
  let json = '';
  for (const item of list) {
    if (json !== '') json += ',';
    json += item === undefined ? 'null' : stringifyJson(item);
  }
  return `[${json}]`;
}

function stringifyObject(object: Readonly<Record<string, unknown>>): string {
  let json = '';
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    if (json !== '') json += ',';
    json += `${quoted(key)}:${stringifyJson(value)}`;
  }
  return `{${json}}`;
}

/** Nearly every string is plain, and the test for that costs a third of the call. */
function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}
