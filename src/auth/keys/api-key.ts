import type { SortOrder } from '../../platform/common/paging.js';
import type { Access } from '../access.js';
import { limitsOf, type Plan, type PlanChoice, type PlanLimits } from '../plans.js';
import type { ApiKeyEntity, KeyEventChanges } from './api-key.entity.js';

export const DEFAULT_ACCESS: Access = 'read';
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const MAX_OVERLAP_SECONDS = 30 * 86_400;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a key as it is stored; undefined for a text that no key has as its id. */
export const keyIdOf = (text: string) => (UUID.test(text) ? text.toLowerCase() : undefined);

export const COMMAND = 'command';
export const SERVICE = 'service';
/** How events name who did something: `command`, `service` or the id of a key. */
export type Actor = string;
/** Who asks for a change of a key: the command line, the service, or a key. */
export type Requester = typeof COMMAND | typeof SERVICE | CallerKey;

export const actorOf = (requester: Requester): Actor =>
  typeof requester === 'string' ? requester : requester.id;

/** What a key is now. `banned` and `expired` end by themselves or by an operator; `revoked` never does. */
export const KEY_STATES = ['active', 'banned', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** The filters of a list; an absent filter excludes nothing. */
export interface KeyFilter {
  plan?: Plan | undefined;
  access?: Access | undefined;
  state?: KeyState | undefined;
  /** A part of the name or the reference, or how a secret begins. */
  q?: string | undefined;
  reference?: string | undefined;
  /** Whether it has called a deprecated operation within 30 days. */
  usesDeprecated?: boolean | undefined;
  /** By creation; oldest first by default. */
  order?: SortOrder | undefined;
}

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

/** The states as the repository filters them. */
export function stateOf(key: ApiKeyEntity, nowMs: number): KeyState {
  if (key.revokedAt) return 'revoked';
  if (key.expiresAt && key.expiresAt.getTime() <= nowMs) return 'expired';
  return key.bannedUntil && key.bannedUntil.getTime() > nowMs ? 'banned' : 'active';
}

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

/** What an event says of a change: never a secret or its hash. `before` is undefined for a new key. */
export function changesBetween(before: ApiKeyEntity | undefined, after: ApiKeyEntity): KeyEventChanges {
  const [old, current] = [before && recorded(before), recorded(after)];
  return Object.fromEntries(
    Object.entries(current)
      .map(([field, value]) => [field, { before: old?.[field] ?? null, after: value }] as const)
      .filter(([, change]) => change.before !== change.after),
  );
}

function recorded(key: ApiKeyEntity): Record<string, string | number | null> {
  const limits = limitsOf(key);
  const text = (at: Date | null | undefined) => at?.toISOString() ?? null;
  return {
    name: key.name,
    reference: key.reference,
    plan: key.plan,
    perMinute: limits?.perMinute ?? null,
    perDay: limits?.perDay ?? null,
    access: key.access,
    prefix: key.prefix,
    expiresAt: text(key.expiresAt),
    revokedAt: text(key.revokedAt),
    bannedUntil: text(key.bannedUntil),
  };
}
