/**
 * A query as it came: each parameter once, decoded. `repeated` names the parameters given more than
 * once. The prototype is null, so that no parameter's name can be mistaken for a member of an object.
 */
export interface ParsedQuery {
  values: Record<string, string>;
  repeated: string[];
}

/**
 * Reads the part of a target behind `?` (application/x-www-form-urlencoded). Escapes are sound here:
 * a target with broken ones never reaches a route (see request-target.ts).
 */
export function parseQueryString(text: string): ParsedQuery {
  const values = Object.create(null) as Record<string, string>;
  const repeated: string[] = [];
  if (text === '') return { values, repeated };
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (name in values) {
      if (!repeated.includes(name)) repeated.push(name);
      continue;
    }
    values[name] = equals === -1 ? '' : decode(pair.slice(equals + 1));
  }
  return { values, repeated };
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
