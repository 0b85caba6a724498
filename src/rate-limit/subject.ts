import type { CallerKey } from '../auth/api-key.js';
import type { Subject } from './decision.js';

const KEY_PREFIX = 'key:';

/** A key with the limits of this moment and what is held against it. */
export function subjectOfKey(key: CallerKey): Subject {
  return {
    id: `${KEY_PREFIX}${key.id}`,
    perMinute: key.perMinute,
    perDay: key.perDay,
    canBeBanned: true,
    ban: key.ban,
    forgivenAtMs: key.forgivenAtMs,
  };
}

/** A stranger has no day and is never banned. */
export function subjectOfAddress(address: string, perMinute: number): Subject {
  return {
    id: `address:${address}`,
    perMinute,
    perDay: null,
    canBeBanned: false,
    ban: null,
    forgivenAtMs: 0,
  };
}

/** The key behind a subject's id; undefined for an address. */
export function keyIdOf(subjectId: string): string | undefined {
  return subjectId.startsWith(KEY_PREFIX) ? subjectId.slice(KEY_PREFIX.length) : undefined;
}
