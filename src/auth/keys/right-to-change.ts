import { type Access, isAccessEnough } from '../access.js';
import { insufficientAccess, invalidApiKey, outdatedSecret } from '../auth.errors.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { hasEnded, type Secret } from './secrets/rotation.js';

/** What a change of a key takes of the key that asks for it. */
export interface Right {
  access: Access;
  /** Only its newest secret may ask. */
  isNewestOnly: boolean;
}

/**
 * Checks that a key may change keys now. `key` and `secret` are its rows, read in the transaction of the change while the key is locked; null:
 * there is no such row any more.
 *
 * @throws ApiError `invalid_api_key`, `insufficient_access`, `outdated_secret`
 */
export function requireRight(
  key: ApiKeyEntity | null,
  secret: Secret | null,
  { access, isNewestOnly }: Right,
  nowMs: number,
): void {
  const isValid =
    key &&
    secret &&
    !key.revokedAt &&
    ![key.expiresAt, secret.endsAt].some((endsAt) => hasEnded({ endsAt }, nowMs));
  if (!isValid) throw invalidApiKey();
  if (!isAccessEnough(key.access, access)) throw insufficientAccess(access, key.access);
  if (isNewestOnly && secret.endsAt) throw outdatedSecret();
}
