import { type Access, isAccessEnough } from '../access.js';
import type { Actor, COMMAND, SERVICE } from '../actor.js';
import { insufficientAccess, invalidApiKey, outdatedSecret } from '../auth.errors.js';
import type { CallerKey } from '../caller-key.js';
import type { ApiKey } from './api-key.js';
import { hasEnded, type Secret } from './secrets/rotation.js';

/** Who asks for a change of a key: the command line, the service, or a key. */
export type Requester = typeof COMMAND | typeof SERVICE | CallerKey;

export const actorOf = (requester: Requester): Actor =>
  typeof requester === 'string' ? requester : requester.id;

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
  key: ApiKey | null,
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
