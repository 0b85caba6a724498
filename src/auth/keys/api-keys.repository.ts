import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  Any,
  Between,
  type FindOptionsWhere,
  IsNull,
  LessThanOrEqual,
  Like,
  MoreThan,
  Not,
  Repository,
} from 'typeorm';
import { Database, type Statement } from '../../platform/database/database.js';
import { changesBetween, type CallerColumns, type KeyFilter, type KeyState } from './api-key.js';
import { ApiKeyEntity, KeyEventEntity, type KeyEventKind } from './api-key.entity.js';
import type { KeyUpdateDto } from './dto/keys.dto.js';

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
};

// Few rows at a time, without those that another replica deletes, so that no lock lasts long.
const DELETE_EVENTS: Statement = {
  name: 'delete-key-events',
  text: `delete from key_events where id in (
      select id from key_events where at < $1 order by at limit $2 for update skip locked
    ) returning 1`,
};

// Written with the usage of the day (rate-limit/usage).
const LAST_USE: Statement = {
  name: 'last-use-of-keys',
  text: `select distinct on (key_id) key_id as "keyId", last_used_at as "lastUsedAt"
    from usage_days where key_id = any($1::uuid[]) order by key_id, day desc`,
};

const COUNT_OPEN_ORDERS: Statement = {
  name: 'count-open-orders',
  text: `select count(*) as count from orders where key_id = $1 and status in ('placed', 'approved')`,
};

/** Keys and their events. A change of a key and its event are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    @InjectRepository(KeyEventEntity) private readonly keyEvents: Repository<KeyEventEntity>,
  ) {}

  insert(columns: ColumnChanges & Pick<ApiKeyEntity, 'id'>, actor: string): Promise<ApiKeyEntity> {
    return this.database.transaction(async () => {
      await this.keys.insert(columns);
      const key = await this.keys.findOneByOrFail({ id: columns.id });
      await this.keyEvents.insert({
        keyId: key.id,
        kind: 'created',
        actor,
        changes: changesBetween(undefined, key),
      });
      return key;
    });
  }

  /**
   * Changes a key and resolves with it; null for an unknown key. `decide` sees the locked key and returns its new columns, or throws
   * to refuse the change. A change that changes nothing leaves no event.
   */
  change(
    id: string,
    kind: KeyEventKind,
    actor: string,
    decide: (key: ApiKeyEntity) => ColumnChanges | undefined,
  ): Promise<ApiKeyEntity | null> {
    return this.database.transaction(async () => {
      const before = await this.keys.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
      const columns = before && decide(before);
      if (!columns) return before;
      const after = Object.assign(new ApiKeyEntity(), before, columns);
      const changes = changesBetween(before, after);
      if (kind === 'updated' && Object.keys(changes).length === 0) return before;
      await this.keys.update({ id }, columns);
      await this.keyEvents.insert({ keyId: id, kind, actor, changes });
      return after;
    });
  }

  find(id: string): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy({ id });
  }

  /** At most `count` keys in the order of their creation. `now`: the moment of the states. */
  list(filter: KeyFilter, now: Date, count: number, afterId = 0n): Promise<ApiKeyEntity[]> {
    const { plan, access, reference, name } = filter;
    const others: FindOptionsWhere<ApiKeyEntity> = {
      number: MoreThan(afterId),
      ...(plan === undefined ? {} : { plan }),
      ...(access === undefined ? {} : { access }),
      ...(reference === undefined ? {} : { reference }),
      ...(name === undefined ? {} : { name: Like(`${name.replace(/[\\%_]/g, '\\$&')}%`) }),
    };
    const states = filter.state === undefined ? [{}] : whereOfState(filter.state, now);
    return this.keys.find({
      where: states.map((state) => ({ ...others, ...state })),
      order: { number: 'asc' },
      take: count,
    });
  }

  /** The newest request of each key that was used, by its id. */
  async lastUses(ids: readonly string[]): Promise<Map<string, Date>> {
    const rows = await this.database.query<{ keyId: string; lastUsedAt: Date }>(LAST_USE, [ids]);
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }

  /** At most `count` events of a key, oldest first. */
  events(keyId: string, count: number, afterId = 0n): Promise<KeyEventEntity[]> {
    return this.keyEvents.find({
      where: { keyId, id: MoreThan(afterId) },
      order: { id: 'asc' },
      take: count,
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

  async countOpenOrders(keyId: string): Promise<number> {
    const [row] = await this.database.query<{ count: bigint }>(COUNT_OPEN_ORDERS, [keyId]);
    return Number(row?.count);
  }

  /** The keys in use that expire between these moments. */
  countExpiring(after: Date, until: Date): Promise<number> {
    return this.keys.countBy({ revokedAt: IsNull(), expiresAt: Between(after, until) });
  }

  plansOf(ids: readonly string[]): Promise<Pick<ApiKeyEntity, 'plan'>[]> {
    return this.keys.find({ select: { plan: true }, where: { id: Any(ids) } });
  }

  /** Deletes at most `limit` events from before this moment; resolves with their number. */
  async deleteEventsBefore(at: Date, limit: number): Promise<number> {
    return (await this.database.query(DELETE_EVENTS, [at, limit])).length;
  }
}

/** The columns of the given fields. Limits go with a plan: a plan without limits of its own ends those of the key. */
export function columnsOf({ plan, perMinute, perDay, expiresAt, ...others }: KeyUpdateDto): ColumnChanges {
  const limit = (count?: bigint) => (count === undefined ? null : Number(count));
  return {
    ...others,
    ...(plan && { plan, perMinute: limit(perMinute), perDay: limit(perDay) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
  };
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
