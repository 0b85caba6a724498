import type { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey, CallerKey } from './api-key.js';
import type { CallerRow } from './api-keys.repository.js';
import { PLANS, type Plan, type PlanLimits } from './plans.js';

/** The limits of a key: its plan's, or for enterprise its own. */
function limitsOf(key: { plan: Plan; perMinute: number | null; perDay: number | null }): PlanLimits {
  const limits = PLANS[key.plan];
  if (limits) return limits;
  if (key.perMinute === null || key.perDay === null) throw new Error('an enterprise key without limits');
  return { perMinute: key.perMinute, perDay: key.perDay };
}

/** A key as commands show it; a ban that is over by `nowMs` is none. */
export function toApiKey(entity: ApiKeyEntity, nowMs: number): ApiKey {
  return {
    id: entity.id,
    name: entity.name,
    plan: entity.plan,
    ...limitsOf(entity),
    readOnly: entity.readOnly,
    prefix: entity.prefix,
    createdAt: entity.createdAt,
    expiresAt: entity.expiresAt,
    revokedAt: entity.revokedAt,
    lastUsedAt: entity.lastUsedAt,
    bannedUntil: entity.bannedUntil && entity.bannedUntil.getTime() > nowMs ? entity.bannedUntil : null,
  };
}

/** A key as guards and limits need it. */
export function toCallerKey(row: CallerRow): CallerKey {
  return {
    id: row.id,
    plan: row.plan,
    ...limitsOf({ plan: row.plan, perMinute: row.per_minute, perDay: row.per_day }),
    readOnly: row.read_only,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    ban:
      row.banned_until && row.ban_lasted_ms !== null
        ? { untilMs: row.banned_until.getTime(), lastedMs: row.ban_lasted_ms }
        : null,
    forgivenAtMs: row.forgiven_at?.getTime() ?? 0,
  };
}
