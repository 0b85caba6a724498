import { limitsOf } from '../plans.js';
import type { ApiKey } from './api-key.js';
import type { KeyEventChanges } from './key-event-kinds.js';

/** What an event says of a change: never a secret or its hash. `before` is undefined for a new key. */
export function changesBetween(before: ApiKey | undefined, after: ApiKey): KeyEventChanges {
  const [old, current] = [before && recorded(before), recorded(after)];
  return Object.fromEntries(
    Object.entries(current)
      .map(([field, value]) => [field, { before: old?.[field] ?? null, after: value }] as const)
      .filter(([, change]) => change.before !== change.after),
  );
}

function recorded(key: ApiKey): Record<string, string | number | null> {
  const limits = limitsOf(key);
  const rfc3339 = (at: Date | null | undefined) => at?.toISOString() ?? null;
  return {
    name: key.name,
    reference: key.reference,
    plan: key.plan,
    perMinute: limits?.perMinute ?? null,
    perDay: limits?.perDay ?? null,
    access: key.access,
    prefix: key.prefix,
    expiresAt: rfc3339(key.expiresAt),
    revokedAt: rfc3339(key.revokedAt),
    bannedUntil: rfc3339(key.bannedUntil),
  };
}
