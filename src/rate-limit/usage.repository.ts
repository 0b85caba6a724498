import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';

/** What one replica counted of one key on one UTC day since it last wrote. */
export interface UsageDelta {
  keyId: string;
  /** As in 2026-11-21. */
  day: string;
  admitted: number;
  refused: number;
}

/** What all replicas have written of one key and one UTC day. */
export interface UsageCounts {
  /** As in 2026-11-21. */
  day: string;
  admitted: bigint;
  refused: bigint;
}

// Added to what is there, so that any number of replicas can write, each what it decided itself. The rows are
// taken in one order everywhere, so that two replicas never wait for each other.
const ADD: Statement = {
  name: 'add-usage',
  text: `insert into usage_days (key_id, day, admitted, refused)
    select key_id, day, admitted, refused
    from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[]) as delta (key_id, day, admitted, refused)
    order by key_id, day
    on conflict (key_id, day) do update
    set admitted = usage_days.admitted + excluded.admitted, refused = usage_days.refused + excluded.refused`,
};

const ADMITTED: Statement = {
  name: 'admitted-usage',
  text: 'select admitted from usage_days where key_id = $1 and day = $2',
};

// to_char, because a server may be set to write dates in another style.
const SINCE: Statement = {
  name: 'usage-since',
  text: `select to_char(day, 'YYYY-MM-DD') as day, admitted, refused
    from usage_days where key_id = $1 and day >= $2`,
};

/** What keys have used, by UTC day, as all replicas have written it. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  async add(deltas: readonly UsageDelta[]): Promise<void> {
    await this.database.query(ADD, [
      deltas.map(({ keyId }) => keyId),
      deltas.map(({ day }) => day),
      deltas.map(({ admitted }) => admitted),
      deltas.map(({ refused }) => refused),
    ]);
  }

  /** How many requests of the key passed on that UTC day, by what has been written. */
  async admittedOn(keyId: string, day: string): Promise<number> {
    const [row] = await this.database.query<{ admitted: bigint }>(ADMITTED, [keyId, day]);
    return Number(row?.admitted ?? 0n);
  }

  /** What has been written of the key from that UTC day on; days without requests have no entry. */
  since(keyId: string, day: string): Promise<UsageCounts[]> {
    return this.database.query<UsageCounts>(SINCE, [keyId, day]);
  }
}
