import { z } from 'zod';
import { PLAN_NAMES } from '../../auth/plans.js';
import { INT64_MAX } from '../../platform/common/int64.js';
import type { ExportedTable } from './export-format.js';

const int64 = z.bigint('is not an int64');
const id = int64.max(INT64_MAX - 1n, 'leaves no id for the next row');
const limit = int64.min(1n, 'is not at least 1');
// Usage adds to a count, so it stays far below the largest int64.
const count = int64.min(0n, 'is negative').max(BigInt(Number.MAX_SAFE_INTEGER), 'is too large');
const sha256 = z.string().regex(/^\\x[0-9a-f]{64}$/, 'is not a SHA-256');

/** Values by the column's type. PostgreSQL has dates that JavaScript cannot represent, and reads an int64 from a string too. */
const VALUES: Record<string, z.ZodType> = {
  bigint: int64,
  date: z.iso.date('is not a day'),
  'timestamp with time zone': z.iso.datetime({ offset: true, error: 'is not a time of RFC 3339' }),
};

/** Values by table and column that the schema would accept and the service cannot use. */
const SPECIAL_VALUES: Record<string, Record<string, z.ZodType>> = {
  api_keys: {
    plan: z.enum(PLAN_NAMES, `is not one of ${PLAN_NAMES.join(', ')}`),
    per_minute: limit,
    per_day: limit,
    secret_hash: sha256,
    old_secret_hash: sha256,
  },
  usage_days: { admitted: count, refused: count },
  idempotency_keys: {
    fingerprint: sha256,
    status: z.literal([200n, 201n], 'is not a stored status'),
    location: z.string().regex(/^[!-~]+$/, 'is not a URL'),
  },
};

/**
 * The shape of a table's rows, checked before the import opens the database. PostgreSQL checks the rest: which fields may be
 * null, and its constraints.
 */
export function rowShape({ name, columns, ids }: ExportedTable): z.ZodType {
  const values = Object.entries(columns).map(([column, type]) => {
    const special = column === ids?.column ? id : SPECIAL_VALUES[name]?.[column];
    return [column, (special ?? VALUES[type] ?? z.unknown()).nullish()] as const;
  });
  return z.object(Object.fromEntries(values), 'is not a JSON object');
}
