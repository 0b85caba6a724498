import type { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey } from './api-key.js';
import { PLANS, type Plan, type PlanLimits } from './plans.js';

/** The limits of a key: its plan's, or for enterprise its own. */
export function limitsOf(key: { plan: Plan; perMinute: number | null; perDay: number | null }): PlanLimits {
  const limits = PLANS[key.plan];
  if (limits) return limits;
  if (key.perMinute === null || key.perDay === null) throw new Error('an enterprise key without limits');
  return { perMinute: key.perMinute, perDay: key.perDay };
}

export function toApiKey(entity: ApiKeyEntity): ApiKey {
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
    bannedUntil: null,
  };
}
