/**
 * A decoded query. `repeated` names the parameters that were given more than once. `values` has no prototype, so that a
 * parameter's name never matches an inherited member.
 */
export interface ParsedQuery {
  values: Record<string, string>;
  repeated: string[];
}

/**
 * Parses the part of a target after `?` (application/x-www-form-urlencoded). All escapes are valid here, because
 * a target with invalid ones never reaches a route (see request-target.ts).
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
