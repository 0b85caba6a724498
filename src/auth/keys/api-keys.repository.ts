import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, type QueryDeepPartialEntity } from 'typeorm';
import { columnsOf, Database, type Statement } from '../../platform/database/database.js';
import type { CallerColumns, KeyBan } from './api-key.js';
import { ApiKeyEntity, KeyEventEntity, type KeyEventKind, type KeyLastUsedEntity } from './api-key.entity.js';
import type { PlanChoice } from '../plans.js';

/** The columns of a new key. */
export type NewApiKey = PlanChoice &
  Pick<ApiKeyEntity, 'id' | 'name' | 'access' | 'prefix' | 'secretHash' | 'expiresAt'>;

/** A recent event and the secret that its key has now; null: the key is gone. */
export type RecentKeyEvent = Pick<KeyEventEntity, 'id' | 'keyId' | 'kind'> & { secretHash: Buffer | null };

export type SecretHashes = Pick<ApiKeyEntity, 'id' | 'secretHash' | 'oldSecretHash'>;

const FIND_CALLERS: Statement = {
  name: 'find-caller',
  // least() ignores null: an old secret ends with its overlap or with the key, whichever comes first.
  text: `select wanted.hash as "wantedHash", id, name, prefix, plan, per_minute as "perMinute", per_day as "perDay",
      access, banned_until as "bannedUntil", ban_duration_ms as "banDurationMs",
      penalties_reset_at as "penaltiesResetAt",
      case when secret_hash = wanted.hash then expires_at else least(expires_at, old_secret_ends_at) end as "expiresAt"
    from unnest($1::bytea[]) as wanted (hash)
    join api_keys on secret_hash = wanted.hash or old_secret_hash = wanted.hash
    where revoked_at is null`,
  isRead: true,
};

const RECENT_EVENTS: Statement = {
  name: 'recent-key-events',
  text: `select event.id, key_id as "keyId", kind, secret_hash as "secretHash"
    from key_events as event left join api_keys on api_keys.id = key_id
    where at > now() - make_interval(secs => $1)`,
  isRead: true,
};

// Few rows at a time, without those that another replica removes, so that no lock lasts long.
const REMOVE_EVENTS: Statement = {
  name: 'remove-key-events',
  text: `delete from key_events where id in (
      select id from key_events where at < $1 order by at limit $2 for update skip locked
    ) returning 1`,
};

// The row keeps the ban that ends last. A ban that the counters started before they knew of an unban has another reset
// mark than the row, and is not stored.
const RECORD_BAN: Statement = {
  name: 'record-ban',
  text: `with banned as (
      update api_keys set banned_until = $2, ban_duration_ms = $3
      where id = $1 and (banned_until is null or banned_until < $2) and penalties_reset_at is not distinct from $4
      returning id
    )
    insert into key_events (key_id, kind, detail) select id, 'banned', $5 from banned`,
};

// Every replica locks the rows in one order, so that two replicas cannot block each other.
const RECORD_USE: Statement = {
  name: 'record-use',
  text: `insert into key_last_used (key_id, minute)
    select key_id, minute from unnest($1::uuid[], $2::timestamptz[]) as used (key_id, minute) order by key_id
    on conflict (key_id) do update set minute = excluded.minute where key_last_used.minute < excluded.minute`,
};

// greatest() ignores null. The previous release writes to last_used_at.
const COLUMNS = columnsOf(ApiKeyEntity).replace(
  'last_used_at as',
  'greatest(last_used_at, (select minute from key_last_used where key_id = id)) as',
);

const FIND: Statement = { name: 'find-key', text: `select ${COLUMNS} from api_keys where id = $1` };

/** How many keys a page has: bounds the memory of commands. */
const KEYS_PER_PAGE = 1_000;
/** No key has it, so all keys come after it. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

const LIST: Statement = {
  name: 'list-keys',
  text: `select ${COLUMNS} from api_keys
    where (created_at, id) > (coalesce((select created_at from api_keys where id = $1), '-infinity'), $1::uuid)
    order by created_at, id limit ${String(KEYS_PER_PAGE)}`,
};

const SECRET_HASHES: Statement = {
  name: 'secret-hashes',
  text: `select id, secret_hash as "secretHash", old_secret_hash as "oldSecretHash"
    from api_keys where id > $1 order by id limit ${String(KEYS_PER_PAGE)}`,
};

/** Keys and their events. A change of a key and its event are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  insert(key: NewApiKey): Promise<void> {
    return this.together('insert-key', async (manager) => {
      await manager.insert(ApiKeyEntity, key);
      await manager.insert(KeyEventEntity, { keyId: key.id, kind: 'created', detail: describePlan(key) });
    });
  }

  /** All keys after this one, oldest first, in pages. */
  list(afterId?: string): AsyncGenerator<ApiKeyEntity[]> {
    return this.pages<ApiKeyEntity>(LIST, afterId);
  }

  /** The secrets of all keys, in pages. */
  secretHashes(): AsyncGenerator<SecretHashes[]> {
    return this.pages<SecretHashes>(SECRET_HASHES);
  }

  async find(id: string): Promise<ApiKeyEntity | null> {
    const [key] = await this.database.query<ApiKeyEntity>(FIND, [id]);
    return key ?? null;
  }

  /** The events of a key, oldest first. */
  events(keyId: string): Promise<KeyEventEntity[]> {
    return this.database.run('key-events', (manager) =>
      manager.find(KeyEventEntity, { where: { keyId }, order: { id: 'asc' } }),
    );
  }

  /** Resolves with false when nothing was changed: the key is unknown, or a revoked key is to be revoked or rotated. */
  change(
    id: string,
    kind: KeyEventKind,
    columns: QueryDeepPartialEntity<ApiKeyEntity>,
    detail: string | null = null,
  ): Promise<boolean> {
    // A revoked key keeps its first date, and gets no other secret.
    const where = kind === 'revoked' || kind === 'rotated' ? { id, revokedAt: IsNull() } : { id };
    return this.together('change-key', async (manager) => {
      const { affected } = await manager.update(ApiKeyEntity, where, columns);
      if (affected !== 0) await manager.insert(KeyEventEntity, { keyId: id, kind, detail });
      return affected !== 0;
    });
  }

  /** The keys with these secrets, in their order; undefined: unknown or revoked. */
  async findCallers(secretHashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> {
    const rows = await this.database.query<CallerColumns & { wantedHash: Buffer }>(FIND_CALLERS, [
      secretHashes,
    ]);
    const found = new Map(rows.map((row) => [row.wantedHash.toString('base64'), row]));
    return secretHashes.map((hash) => found.get(hash.toString('base64')));
  }

  /** The events of the last seconds by the clock of the database. Their ids are not committed in order. */
  recentEvents(withinSeconds: number): Promise<RecentKeyEvent[]> {
    return this.database.query<RecentKeyEvent>(RECENT_EVENTS, [withinSeconds]);
  }

  /** Removes at most `limit` events from before this moment; resolves with their number. */
  async removeEventsBefore(at: Date, limit: number): Promise<number> {
    return (await this.database.query(REMOVE_EVENTS, [at, limit])).length;
  }

  /** `penaltiesResetAtMs`: the reset mark that the counters used for the ban. */
  async recordBan(id: string, ban: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    const mark = penaltiesResetAtMs === 0 ? null : new Date(penaltiesResetAtMs);
    const until = new Date(ban.untilMs);
    const detail = `until ${until.toISOString()}`;
    await this.database.query(RECORD_BAN, [id, until, ban.durationMs, mark, detail]);
  }

  /** Never moves the last use of a key back. */
  async recordUse(uses: readonly KeyLastUsedEntity[]): Promise<void> {
    await this.database.query(RECORD_USE, [uses.map(({ keyId }) => keyId), uses.map(({ minute }) => minute)]);
  }

  /** A keyset read: every page costs what the first one costs. */
  private async *pages<Row extends { id: string }>(
    statement: Statement,
    afterId = LOWEST_ID,
  ): AsyncGenerator<Row[]> {
    let lastId: string | undefined = afterId;
    while (lastId !== undefined) {
      const page: Row[] = await this.database.query<Row>(statement, [lastId]);
      if (page.length > 0) yield page;
      lastId = page[KEYS_PER_PAGE - 1]?.id;
    }
  }

  private together<Result>(name: string, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.transaction(() => this.database.run(name, work));
  }
}

export function describePlan({ plan, perMinute, perDay }: PlanChoice): string {
  return perMinute === null ? plan : `${plan}, ${String(perMinute)} a minute, ${String(perDay)} a day`;
}
