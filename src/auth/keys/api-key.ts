import type { Access } from '../../platform/common/access.js';
import { limitsOf, type Plan, type PlanChoice, type PlanLimits } from '../plans.js';
import type { ApiKeyEntity, KeyEventEntity } from './api-key.entity.js';

/** A key as commands print it: everything except its secret. */
export type ApiKey = ReturnType<typeof toApiKey>;

/** A key that was just issued: the only time that its secret is shown. */
export type IssuedApiKey = ApiKey & { key: string };

/** Something that happened to a key. */
export type KeyEvent = Pick<KeyEventEntity, 'kind' | 'detail' | 'at'>;

export interface KeyHistory {
  key: ApiKey;
  /** Oldest first. */
  events: KeyEvent[];
}

/** A ban, in force or ended. It began at `untilMs - durationMs`. */
export interface KeyBan {
  untilMs: number;
  durationMs: number;
}

/** What a request needs to know about its key. */
export interface CallerKey extends PlanLimits {
  id: string;
  name: string;
  prefix: string;
  plan: Plan;
  access: Access;
  /** When the secret that was sent ends; null: never. */
  expiresAtMs: number | null;
  /** The last ban; null: none. */
  ban: KeyBan | null;
  /** Refusals and bans from before this moment no longer count; 0: never reset. */
  penaltiesResetAtMs: number;
}

/** The columns that toCallerKey reads. */
export type CallerColumns = PlanChoice &
  Pick<
    ApiKeyEntity,
    'id' | 'name' | 'prefix' | 'access' | 'expiresAt' | 'bannedUntil' | 'banDurationMs' | 'penaltiesResetAt'
  >;

/**
 * A key as commands print it. A ban that is over at `nowMs` is not shown. The limits are null only when the row breaks the rules, for
 * example with an unknown plan.
 */
export function toApiKey(entity: ApiKeyEntity, nowMs: number) {
  const limits = limitsOf(entity);
  return {
    id: entity.id,
    name: entity.name,
    plan: entity.plan,
    perMinute: limits?.perMinute ?? null,
    perDay: limits?.perDay ?? null,
    access: entity.access,
    prefix: entity.prefix,
    createdAt: entity.createdAt,
    expiresAt: entity.expiresAt,
    revokedAt: entity.revokedAt,
    lastUsedAt: entity.lastUsedAt,
    bannedUntil: entity.bannedUntil && entity.bannedUntil.getTime() > nowMs ? entity.bannedUntil : null,
  };
}

/** A key as requests need it; undefined when its row has no limits that could be applied. */
export function toCallerKey(columns: CallerColumns): CallerKey | undefined {
  const limits = limitsOf(columns);
  if (!limits) return undefined;
  const { id, name, prefix, plan, access, expiresAt, bannedUntil, banDurationMs, penaltiesResetAt } = columns;
  return {
    id,
    name,
    prefix,
    plan,
    ...limits,
    access,
    expiresAtMs: expiresAt?.getTime() ?? null,
    ban:
      bannedUntil && banDurationMs !== null
        ? { untilMs: bannedUntil.getTime(), durationMs: banDurationMs }
        : null,
    penaltiesResetAtMs: penaltiesResetAt?.getTime() ?? 0,
  };
}
