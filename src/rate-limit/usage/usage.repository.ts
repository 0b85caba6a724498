import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../platform/database/database.js';
import type { UsageDayEntity } from './usage-day.entity.js';

/** What one replica counted for one key and UTC day since its last write. */
export interface UsageDelta {
  keyId: string;
  /** For example 2026-11-21. */
  day: string;
  admitted: number;
  refused: number;
  /** The newest request. */
  lastUsedAtMs: number;
}

/** What all replicas have written for one key and UTC day. */
export type UsageCounts = Pick<UsageDayEntity, 'day' | 'admitted' | 'refused'>;

// Each replica adds its own counts, so any number of them can write. Every replica locks the rows in one order, so that
// two replicas cannot block each other.
const ADD: Statement = {
  name: 'add-usage',
  text: `insert into usage_days (key_id, day, admitted, refused, last_used_at)
    select key_id, day, admitted, refused, last_used_at
    from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::timestamptz[])
      as delta (key_id, day, admitted, refused, last_used_at)
    order by key_id, day
    on conflict (key_id, day) do update
    set admitted = usage_days.admitted + excluded.admitted, refused = usage_days.refused + excluded.refused,
      last_used_at = greatest(usage_days.last_used_at, excluded.last_used_at)`,
};

const SINCE: Statement = {
  name: 'usage-since',
  text: 'select day, admitted, refused from usage_days where key_id = $1 and day >= $2',
};

// Few rows at a time, so that no lock lasts long. Not `for update skip locked`, which distributed tables refuse.
const DELETE_BEFORE: Statement = {
  name: 'delete-usage',
  text: `delete from usage_days where (key_id, day) in (
      select key_id, day from usage_days where day < $1 order by day limit $2
    ) returning 1`,
};

/** Usage by key and UTC day, as all replicas have written it. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  async add(deltas: readonly UsageDelta[]): Promise<void> {
    await this.database.query(ADD, [
      deltas.map(({ keyId }) => keyId),
      deltas.map(({ day }) => day),
      deltas.map(({ admitted }) => admitted),
      deltas.map(({ refused }) => refused),
      deltas.map(({ lastUsedAtMs }) => new Date(lastUsedAtMs)),
    ]);
  }

  /** The counts of the key from that UTC day on. Days without requests have no entry. */
  since(keyId: string, day: string): Promise<UsageCounts[]> {
    return this.database.query<UsageCounts>(SINCE, [keyId, day]);
  }

  /** Deletes at most `limit` rows of days before this one; resolves with their number. */
  async deleteBefore(day: string, limit: number): Promise<number> {
    return (await this.database.query(DELETE_BEFORE, [day, limit])).length;
  }
}
