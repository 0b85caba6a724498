import { keyNotFound } from './auth.errors.js';
import type { CallerKey } from './caller-key.js';
import { keyIdOf } from './keys/api-key.js';

/**
 * The id of the key that a path names; `me` is the caller's own.
 * @throws ApiError `key_not_found`
 */
export function keyIdOfPath(text: string, caller: CallerKey): string {
  const id = text === 'me' ? caller.id : keyIdOf(text);
  if (id === undefined) throw keyNotFound(text);
  return id;
}

/** Whether a path names the caller's own key. */
export const isOwnKey = (text: string, caller: CallerKey) => text === 'me' || keyIdOf(text) === caller.id;
