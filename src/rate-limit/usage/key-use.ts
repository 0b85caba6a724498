import { Injectable } from '@nestjs/common';
import type { KeyCondition } from '../../auth/keys/key-filter.js';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { Database, type Statement } from '../../platform/database/database.js';

const LAST_USES: Statement = {
  name: 'last-use-of-keys',
  text: `select distinct on (key_id) key_id as "keyId", last_used_at as "lastUsedAt"
    from usage_days where key_id = any($1::uuid[]) order by key_id, day desc`,
};

/** How long a call of a deprecated operation is held against a key, today included. */
const DEPRECATED_WITHIN_DAYS = 30;

/** What the written usage says of keys. */
@Injectable()
export class KeyUse {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The newest request of each of these keys that was used, by its id. */
  async lastUses(ids: readonly string[]): Promise<Map<string, Date>> {
    const rows = await this.database.query<{ keyId: string; lastUsedAt: Date }>(LAST_USES, [ids]);
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }

  /** Whether a key has called a deprecated operation in the last 30 days. */
  usesDeprecated(uses: boolean): KeyCondition {
    const since = utcDay(this.clock.nowMs() - (DEPRECATED_WITHIN_DAYS - 1) * DAY_MS);
    const calls = (id: string) =>
      `exists (select from usage_days where key_id = ${id} and day >= :since and deprecated > 0)`;
    return {
      name: `usesDeprecated=${String(uses)}`,
      sqlOf: (id) => (uses ? calls(id) : `not ${calls(id)}`),
      parameters: { since },
    };
  }
}
