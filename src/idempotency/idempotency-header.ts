import { invalidIdempotencyKey } from './idempotency.errors.js';
import { MAX_IDEMPOTENCY_KEY_CHARACTERS } from './idempotency-names.js';

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** The Idempotency-Key of a request; `key` is undefined where the caller sent none. */
export class IdempotencyHeader {
  private constructor(readonly key: string | undefined) {}

  /** Raises invalid_idempotency_key. */
  static read({ value, count }: { value?: string; count: number }): IdempotencyHeader {
    if (value === undefined) return new IdempotencyHeader(undefined);
    const key = count === 1 ? parseIdempotencyKey(value) : undefined;
    if (key === undefined) throw invalidIdempotencyKey(value);
    return new IdempotencyHeader(key);
  }
}

/**
 * The key in a header's value, bare or in quotes (the structured string of draft-ietf-httpapi-idempotency-key-header);
 * undefined when it is empty, too long or not printable ASCII.
 */
function parseIdempotencyKey(value: string): string | undefined {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  const key = isQuoted ? value.slice(1, -1) : value;
  const isValid = PRINTABLE_ASCII.test(key) && key.length <= MAX_IDEMPOTENCY_KEY_CHARACTERS;
  return isValid ? key : undefined;
}
