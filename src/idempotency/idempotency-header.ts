export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const REPLAYED_HEADER = 'Idempotent-Replayed';
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * The key in a header's value, bare or in quotes (the structured string of draft-ietf-httpapi-idempotency-key-header);
 * undefined when it is empty, too long or not printable ASCII.
 */
export function parseIdempotencyKey(value: string): string | undefined {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  const key = isQuoted ? value.slice(1, -1) : value;
  const isValid = PRINTABLE_ASCII.test(key) && key.length <= MAX_IDEMPOTENCY_KEY_CHARACTERS;
  return isValid ? key : undefined;
}
