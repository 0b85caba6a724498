/** Matches characters that need an escape, and surrogates; JSON.stringify handles those strings. */
// eslint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes plain data as JSON like JSON.stringify, but a bigint exactly, as its digits. It omits undefined members, and
 * writes undefined in an array as null and a Date as ISO 8601.
 *
 * @throws TypeError for values that JSON does not have: NaN, infinities, functions, symbols and a bare undefined
 * @throws RangeError for an invalid Date and for nesting deeper than the call stack
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

/** Almost every string needs no escape, and the test for that takes a third of the time of the call. */
function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}
