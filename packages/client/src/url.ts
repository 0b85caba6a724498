import { assertExact, type Int64 } from './int64.js';

type Single = string | Int64;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Puts identifiers into a path, exactly. */
export function serializePath(template: string, parameters: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = parameters[name];
    // An empty or relative string would lead to another operation.
    if (name === 'keyId' && value === 'me') return value;
    if (name === 'keyId' || name === 'webhookId') {
      if (typeof value === 'string' && UUID.test(value)) return value;
      throw new TypeError(`${name}: expected a UUID${name === 'keyId' ? ' or "me"' : ''}`);
    }
    if (typeof value !== 'number' && typeof value !== 'bigint')
      throw new TypeError(`${name}: expected a number or a bigint`);
    return textOf(value);
  });
}

/**
 * Writes a query. A list is one parameter with its items separated by commas. An empty list stays a parameter, which the
 * service refuses; without the parameter the service would list everything.
 */
export function serializeQuery(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters as Record<string, Single | Single[] | undefined>)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${[value].flat().map(textOf).join(',')}`],
    )
    .join('&');
}

function textOf(value: Single): string {
  if (typeof value !== 'string') assertExact(value);
  return encodeURIComponent(String(value));
}
