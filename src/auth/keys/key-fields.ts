import type { Access } from '../access.js';
import type { Plan } from '../plans.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** What a key is issued with. The limits go with the plan enterprise only. */
export interface NewKey {
  name: string;
  plan: Plan;
  perMinute?: bigint;
  perDay?: bigint;
  access?: Access;
  /** RFC 3339; null or absent: the key never ends. */
  expiresAt?: string | null;
  reference?: string | null;
}

/** What changes of a key. An absent field stays as it is. */
export type KeyUpdate = Partial<NewKey>;

/** The columns of a key that change. */
export type KeyColumns = Partial<Omit<ApiKeyEntity, 'id' | 'number'>>;

/** The columns of the given fields. Limits go with a plan: a plan without limits of its own ends those of the key. */
export function keyColumnsFrom({ plan, perMinute, perDay, expiresAt, ...others }: KeyUpdate): KeyColumns {
  const limit = (count?: bigint) => (count === undefined ? null : Number(count));
  return {
    ...others,
    ...(plan && { plan, perMinute: limit(perMinute), perDay: limit(perDay) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
  };
}
