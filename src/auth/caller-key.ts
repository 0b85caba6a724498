import type { Access } from './access.js';
import type { ApiKeyEntity } from './keys/api-key.entity.js';
import { limitsOf, type Plan, type PlanChoice, type PlanLimits } from './plans.js';

/** A ban, in force or ended. It began at `untilMs - durationMs`. */
export interface KeyBan {
  untilMs: number;
  durationMs: number;
}

/** A key as its limits need it. */
export interface LimitedKey extends PlanLimits {
  id: string;
  name: string;
  prefix: string;
  plan: Plan;
  access: Access;
  /** When the key ends, or before it the secret that was sent; null: never. */
  expiresAtMs: number | null;
  /** The last ban; null: none. */
  ban: KeyBan | null;
  /** Refusals and bans from before this moment no longer count; 0: never reset. */
  penaltiesResetAtMs: number;
}

/** The key behind a request. */
export interface CallerKey extends LimitedKey {
  /** The secret that was sent. */
  secretNumber: bigint;
  /** Only the newest secret of a key may rotate it. */
  isNewestSecret: boolean;
}

/** The columns that toLimitedKey reads. */
type LimitedColumns = PlanChoice &
  Pick<
    ApiKeyEntity,
    'id' | 'name' | 'prefix' | 'access' | 'expiresAt' | 'bannedUntil' | 'banDurationMs' | 'penaltiesResetAt'
  >;
/** The same with those of the secret that was sent. */
export type CallerColumns = LimitedColumns & { secretNumber: bigint; secretEndsAt: Date | null };

/** A key as its limits need it; undefined when its row has no limits that could be applied. */
export function toLimitedKey(columns: LimitedColumns): LimitedKey | undefined {
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

/** The same with the secret that was sent. */
export function toCallerKey({
  secretNumber,
  secretEndsAt,
  ...columns
}: CallerColumns): CallerKey | undefined {
  const key = toLimitedKey(columns);
  if (!key) return undefined;
  const ends = [key.expiresAtMs, secretEndsAt?.getTime()].filter((atMs) => typeof atMs === 'number');
  const expiresAtMs = ends.length === 0 ? null : Math.min(...ends);
  return { ...key, expiresAtMs, secretNumber, isNewestSecret: secretEndsAt === null };
}
