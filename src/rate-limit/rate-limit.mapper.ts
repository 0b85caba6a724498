import type { Plan } from '../auth/plans.js';
import type { Decision } from './decision.js';
import type { RateLimitDto } from './dto/rate-limit.dto.js';

/** What a key may still do, as JSON. */
export function toRateLimit(plan: Plan, decision: Decision): RateLimitDto {
  return {
    plan,
    windows: decision.windows.map(({ name, limit, remaining, resetAtMs }) => ({
      name,
      limit,
      remaining,
      resetAt: resetAtMs / 1000,
    })),
    bannedUntil: decision.bannedUntilMs === null ? null : new Date(decision.bannedUntilMs).toISOString(),
  };
}
