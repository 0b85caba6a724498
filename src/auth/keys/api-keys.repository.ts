import { Injectable } from '@nestjs/common';
import {
  type EntityManager,
  type FindOptionsWhere,
  IsNull,
  LessThanOrEqual,
  Like,
  MoreThan,
  Not,
} from 'typeorm';
import type { Access } from '../../platform/common/access.js';
import { Database, type Statement } from '../../platform/database/database.js';
import type { Plan } from '../plans.js';
import { changesBetween, type CallerColumns, type KeyBan, type KeyState } from './api-key.js';
import { ApiKeyEntity, KeyEventEntity, type KeyEventKind } from './api-key.entity.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface KeyFilter {
  plan?: Plan | undefined;
  access?: Access | undefined;
  state?: KeyState | undefined;
  /** How the name begins. */
  name?: string | undefined;
  reference?: string | undefined;
}

/** A place in a list: everything after it, at most so many. */
export interface Page {
  afterId?: bigint | undefined;
  count: number;
}

/** The columns of a key that change; undefined: nothing. */
export type ColumnChanges = Partial<Omit<ApiKeyEntity, 'id' | 'number'>>;

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
    insert into key_events (key_id, kind, actor, changes) select id, 'banned', 'service', $5::jsonb from banned`,
};

// Written with the usage of the day (rate-limit/usage).
const LAST_USE: Statement = {
  name: 'last-use-of-keys',
  text: `select distinct on (key_id) key_id as "keyId", last_used_at as "lastUsedAt"
    from usage_days where key_id = any($1::uuid[]) order by key_id, day desc`,
  isRead: true,
};

const COUNT_OPEN_ORDERS: Statement = {
  name: 'count-open-orders',
  text: `select count(*) as count from orders where key_id = $1 and status in ('placed', 'approved')`,
  isRead: true,
};

const COUNT_BY_PLAN: Statement = {
  name: 'count-keys-by-plan',
  text: `select plan, count(*) as count from api_keys where id = any($1::uuid[]) group by plan`,
  isRead: true,
};

const COUNT_EXPIRING: Statement = {
  name: 'count-expiring-keys',
  text: `select count(*) as count from api_keys where revoked_at is null and expires_at > $1 and expires_at <= $2`,
  isRead: true,
};

/** Keys and their events. A change of a key and its event are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  insert(columns: ColumnChanges & Pick<ApiKeyEntity, 'id'>, actor: string): Promise<ApiKeyEntity> {
    return this.inTransaction('insert-key', async (manager) => {
      await manager.insert(ApiKeyEntity, columns);
      const key = await manager.findOneByOrFail(ApiKeyEntity, { id: columns.id });
      await manager.insert(KeyEventEntity, eventOf('created', actor, undefined, key));
      return key;
    });
  }

  /**
   * Changes a key and resolves with it; undefined for an unknown key. `decide` sees the locked key and returns its new columns, or throws
   * to refuse the change. A change that changes nothing leaves no event.
   */
  change(
    id: string,
    kind: KeyEventKind,
    actor: string,
    decide: (key: ApiKeyEntity) => ColumnChanges | undefined,
  ): Promise<ApiKeyEntity | undefined> {
    return this.inTransaction('change-key', async (manager) => {
      const lock = { mode: 'pessimistic_write' as const };
      const before = await manager.findOne(ApiKeyEntity, { where: { id }, lock });
      if (!before) return undefined;
      const columns = decide(before);
      const after = Object.assign(new ApiKeyEntity(), before, columns);
      const event = eventOf(kind, actor, before, after);
      const isUnchanged = kind === 'updated' && Object.keys(event.changes).length === 0;
      if (columns === undefined || isUnchanged) return before;
      await manager.update(ApiKeyEntity, { id }, columns);
      await manager.insert(KeyEventEntity, event);
      return after;
    });
  }

  find(id: string): Promise<ApiKeyEntity | null> {
    return this.database.run('find-key', (manager) => manager.findOneBy(ApiKeyEntity, { id }));
  }

  /** Keys in the order of their creation. `now`: the moment of the states. */
  list(filter: KeyFilter, { afterId = 0n, count }: Page, now: Date): Promise<ApiKeyEntity[]> {
    const { plan, access, reference, name } = filter;
    const others: FindOptionsWhere<ApiKeyEntity> = {
      number: MoreThan(afterId),
      ...(plan === undefined ? {} : { plan }),
      ...(access === undefined ? {} : { access }),
      ...(reference === undefined ? {} : { reference }),
      ...(name === undefined ? {} : { name: Like(`${name.replace(/[\\%_]/g, '\\$&')}%`) }),
    };
    const states = filter.state === undefined ? [{}] : whereOfState(filter.state, now);
    return this.database.run('list-keys', (manager) =>
      manager.find(ApiKeyEntity, {
        where: states.map((state) => ({ ...others, ...state })),
        order: { number: 'asc' },
        take: count,
      }),
    );
  }

  /** The newest request of each key that was used, by its id. */
  async lastUses(ids: readonly string[]): Promise<Map<string, Date>> {
    const rows = await this.database.query<{ keyId: string; lastUsedAt: Date }>(LAST_USE, [ids]);
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }

  /** The events of a key, oldest first. */
  events(keyId: string, { afterId = 0n, count }: Page): Promise<KeyEventEntity[]> {
    return this.database.run('key-events', (manager) =>
      manager.find(KeyEventEntity, {
        where: { keyId, id: MoreThan(afterId) },
        order: { id: 'asc' },
        take: count,
      }),
    );
  }

  /** The keys with these secrets, in their order; undefined: unknown or revoked. */
  async findCallers(secretHashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> {
    const rows = await this.database.query<CallerColumns & { wantedHash: Buffer }>(FIND_CALLERS, [
      secretHashes,
    ]);
    const found = new Map(rows.map((row) => [row.wantedHash.toString('base64'), row]));
    return secretHashes.map((hash) => found.get(hash.toString('base64')));
  }

  countOpenOrders(keyId: string): Promise<number> {
    return this.count(COUNT_OPEN_ORDERS, [keyId]);
  }

  /** The keys in use that expire between these moments. */
  countExpiring(after: Date, until: Date): Promise<number> {
    return this.count(COUNT_EXPIRING, [after, until]);
  }

  async countByPlan(ids: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.database.query<{ plan: Plan; count: bigint }>(COUNT_BY_PLAN, [ids]);
    return Object.fromEntries(rows.map(({ plan, count }) => [plan, Number(count)]));
  }

  /** Removes at most `limit` events from before this moment; resolves with their number. */
  async removeEventsBefore(at: Date, limit: number): Promise<number> {
    return (await this.database.query(REMOVE_EVENTS, [at, limit])).length;
  }

  /** `penaltiesResetAtMs`: the reset mark that the counters used for the ban. */
  async recordBan(id: string, ban: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    const mark = penaltiesResetAtMs === 0 ? null : new Date(penaltiesResetAtMs);
    const until = new Date(ban.untilMs);
    const changes = { bannedUntil: { before: null, after: until.toISOString() } };
    await this.database.query(RECORD_BAN, [id, until, ban.durationMs, mark, JSON.stringify(changes)]);
  }

  private async count(statement: Statement, values: unknown[]): Promise<number> {
    const [row] = await this.database.query<{ count: bigint }>(statement, values);
    return Number(row?.count);
  }

  private inTransaction<Result>(
    name: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(() => this.database.run(name, work));
  }
}

function eventOf(
  kind: KeyEventKind,
  actor: string,
  before: ApiKeyEntity | undefined,
  after: ApiKeyEntity,
): Pick<KeyEventEntity, 'keyId' | 'kind' | 'actor' | 'changes'> {
  return { keyId: after.id, kind, actor, changes: changesBetween(before, after) };
}

/** The same as stateOf, in SQL. Each alternative is a disjunction that an index can serve. */
function whereOfState(state: KeyState, now: Date): FindOptionsWhere<ApiKeyEntity>[] {
  if (state === 'revoked') return [{ revokedAt: Not(IsNull()) }];
  const revokedAt = IsNull();
  if (state === 'expired') return [{ revokedAt, expiresAt: LessThanOrEqual(now) }];
  const lives = [
    { revokedAt, expiresAt: IsNull() },
    { revokedAt, expiresAt: MoreThan(now) },
  ];
  if (state === 'banned') return lives.map((life) => ({ ...life, bannedUntil: MoreThan(now) }));
  return lives.flatMap((life) => [
    { ...life, bannedUntil: IsNull() },
    { ...life, bannedUntil: LessThanOrEqual(now) },
  ]);
}
