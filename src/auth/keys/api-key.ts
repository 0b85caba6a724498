import type { Access } from '../access.js';
import type { ApiKeyEntity, KeyEventEntity } from './api-key.entity.js';

/** A key as it is stored, without its secrets. */
export type ApiKey = Readonly<ApiKeyEntity>;

/** What was done to a key. */
export type KeyEvent = Readonly<KeyEventEntity>;

/** A key with a secret that was just made, which nothing else holds. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
}

export const DEFAULT_ACCESS: Access = 'read';
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const MAX_OVERLAP_SECONDS = 30 * 86_400;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a key as it is stored; undefined for a text that no key has as its id. */
export const keyIdOf = (text: string) => (UUID.test(text) ? text.toLowerCase() : undefined);

/** What a key is now. `banned` and `expired` end by themselves or by an operator; `revoked` never does. */
export const KEY_STATES = ['active', 'banned', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** The states as the repository filters them. */
export function keyStateOf(key: ApiKey, nowMs: number): KeyState {
  if (key.revokedAt) return 'revoked';
  if (key.expiresAt && key.expiresAt.getTime() <= nowMs) return 'expired';
  return key.bannedUntil && key.bannedUntil.getTime() > nowMs ? 'banned' : 'active';
}
