import { randomUUID } from 'node:crypto';
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
  /** Calls of deprecated operations among the admitted. */
  deprecated: number;
  /** The newest request. */
  lastUsedAtMs: number;
}

/** Counts that one transaction writes. */
export interface UsageBatch {
  /** Counts from 1 in each process. */
  number: number;
  deltas: readonly UsageDelta[];
}

/** What all replicas have written for one key and UTC day. */
export type UsageCounts = Pick<UsageDayEntity, 'day' | 'admitted' | 'refused' | 'deprecated'>;

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** `batch`: the number of the last batch of this process that the counts contain. */
export interface WrittenUsage {
  counts: UsageCounts[];
  batch: number;
}

/** A process that has written nothing for this long has ended, or is cut off and will not repeat its last batch. */
const WRITER_RETENTION = `interval '7 days'`;

// No row: the batch is written already. A batch that is being written holds the lock, and this statement waits for its end.
const MARK: Statement = {
  name: 'mark-usage-batch',
  text: `insert into usage_writers (id, batch) values ($1, $2)
    on conflict (id) do update set batch = excluded.batch, written_at = excluded.written_at
    where usage_writers.batch < excluded.batch returning 1`,
};

// Each replica adds its own counts, so any number of them can write. Every replica locks the rows in one order, so that
// two replicas cannot block each other.
const ADD: Statement = {
  name: 'add-usage',
  text: `insert into usage_days (key_id, day, admitted, refused, deprecated, last_used_at)
    select key_id, day, admitted, refused, deprecated, last_used_at
    from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[])
      as delta (key_id, day, admitted, refused, deprecated, last_used_at)
    order by key_id, day
    on conflict (key_id, day) do update
    set admitted = usage_days.admitted + excluded.admitted, refused = usage_days.refused + excluded.refused,
      deprecated = usage_days.deprecated + excluded.deprecated,
      last_used_at = greatest(usage_days.last_used_at, excluded.last_used_at)`,
};

// One statement, so that the counts are those of the batch. A row without a day has the batch where no day has requests.
const SINCE: Statement = {
  name: 'usage-since',
  text: `select day, admitted, refused, deprecated, coalesce(batch, 0) as batch
    from (select max(batch) as batch from usage_writers where id = $3) as writer
    left join usage_days on key_id = $1 and day >= $2`,
};

// Few rows at a time, so that no lock lasts long. Not `for update skip locked`, which distributed tables refuse.
const DELETE_BEFORE: Statement = {
  name: 'delete-usage',
  text: `delete from usage_days where (key_id, day) in (
      select key_id, day from usage_days where day < $1 order by day limit $2
    ) returning 1`,
};

const DELETE_WRITERS: Statement = {
  name: 'delete-usage-writers',
  text: `delete from usage_writers where id in (
      select id from usage_writers where written_at < now() - ${WRITER_RETENTION} order by written_at limit $1
    ) returning 1`,
};

/** Usage by key and UTC day, as all replicas have written it. */
@Injectable()
export class UsageRepository {
  /** The id of this process. */
  private readonly writer = randomUUID();

  constructor(private readonly database: Database) {}

  /** Adds the counts of a batch, once however often it is called: after an error the batch may be written or not. */
  async add({ number, deltas }: UsageBatch): Promise<void> {
    await this.database.transaction(async () => {
      const marked = await this.database.query(MARK, [this.writer, number]);
      if (marked.length === 0) return;
      await this.database.query(ADD, [
        deltas.map(({ keyId }) => keyId),
        deltas.map(({ day }) => day),
        deltas.map(({ admitted }) => admitted),
        deltas.map(({ refused }) => refused),
        deltas.map(({ deprecated }) => deprecated),
        deltas.map(({ lastUsedAtMs }) => new Date(lastUsedAtMs)),
      ]);
    });
  }

  /** The counts of the key from that UTC day on. Days without requests have no entry. */
  async since(keyId: string, day: string): Promise<WrittenUsage> {
    const rows = await this.database.query<Nullable<UsageCounts> & { batch: bigint }>(SINCE, [
      keyId,
      day,
      this.writer,
    ]);
    return {
      counts: rows.filter((row) => row.day !== null) as UsageCounts[],
      batch: Number(rows[0]?.batch ?? 0),
    };
  }

  /** Deletes at most `limit` rows of days before this one; resolves with their number. */
  async deleteBefore(day: string, limit: number): Promise<number> {
    return (await this.database.query(DELETE_BEFORE, [day, limit])).length;
  }

  /** Deletes at most `limit` processes that have ended; resolves with their number. */
  async deleteWriters(limit: number): Promise<number> {
    return (await this.database.query(DELETE_WRITERS, [limit])).length;
  }
}
