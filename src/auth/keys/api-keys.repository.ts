import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  Any,
  Between,
  type FindOptionsWhere,
  IsNull,
  LessThanOrEqual,
  MoreThan,
  Not,
  Raw,
  Repository,
} from 'typeorm';
import { DEFAULT_SORT_ORDER, type SortOrder } from '../../platform/common/paging.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { boundsAfter } from '../../platform/database/keyset.js';
import type { Access } from '../access.js';
import { changesBetween } from './key-changes.js';
import type { KeyFilter } from './key-filter.js';
import type { KeyState } from './api-key.js';
import { ApiKeyEntity, KeyEventEntity } from './api-key.entity.js';
import type { KeyEventChanges, KeyEventKind } from './key-event-kinds.js';
import type { KeyColumns } from './key-fields.js';

/** A change of a key, for its row and its event. */
export interface KeyChange {
  kind: KeyEventKind;
  actor: string;
  columns: KeyColumns;
  /** What the event says beside the columns. */
  recorded?: KeyEventChanges | undefined;
}

// Few rows at a time, without those that another replica deletes, so that no lock lasts long.
const DELETE_EVENTS: Statement = {
  name: 'delete-key-events',
  text: `delete from key_events where id in (
      select id from key_events where at < $1 order by at limit $2 for update skip locked
    ) returning 1`,
};

const ACCESS_OF_LIVE: Statement = {
  name: 'access-of-live-keys',
  text: `select id, access from api_keys
    where id = any($1::uuid[]) and revoked_at is null and (expires_at is null or expires_at > $2)`,
};

/** Keys and their events. A change of a key and its event are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    @InjectRepository(KeyEventEntity) private readonly keyEvents: Repository<KeyEventEntity>,
  ) {}

  /** Adds a key and its event, in the transaction that adds its secret. */
  async insert(columns: KeyColumns & Pick<ApiKeyEntity, 'id'>, actor: string): Promise<ApiKeyEntity> {
    await this.keys.insert(columns);
    const key = await this.keys.findOneByOrFail({ id: columns.id });
    await this.keyEvents.insert({
      keyId: key.id,
      kind: 'created',
      actor,
      changes: changesBetween(undefined, key),
    });
    return key;
  }

  /**
   * Locks rows of keys until the transaction ends: `changed` for a change, and `acting` against changes by others. The order of the ids
   * keeps two transactions from waiting for each other.
   */
  async lock(ids: { changed?: string | undefined; acting?: string | undefined }): Promise<{
    changed: ApiKeyEntity | null;
    acting: ApiKeyEntity | null;
  }> {
    const rows = new Map<string | undefined, ApiKeyEntity | null>();
    for (const id of [...new Set([ids.changed, ids.acting])].filter((id) => id !== undefined).sort()) {
      const mode = id === ids.changed ? 'pessimistic_write' : 'pessimistic_read';
      rows.set(id, await this.keys.findOne({ where: { id }, lock: { mode } }));
    }
    return { changed: rows.get(ids.changed) ?? null, acting: rows.get(ids.acting) ?? null };
  }

  /** Changes a key and adds the event, in the transaction that has locked it. Resolves with the changed key. */
  async change(before: ApiKeyEntity, { kind, actor, columns, recorded }: KeyChange): Promise<ApiKeyEntity> {
    const after = Object.assign(new ApiKeyEntity(), before, columns);
    const changes = { ...changesBetween(before, after), ...recorded };
    if (kind === 'updated' && Object.keys(changes).length === 0) return before;
    await this.keys.update({ id: before.id }, columns);
    await this.keyEvents.insert({ keyId: before.id, kind, actor, changes });
    return after;
  }

  find(id: string): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy({ id });
  }

  /** At most `count` keys in the order of their creation. `now`: the moment of the states. */
  list(filter: KeyFilter, now: Date, count: number, afterId?: bigint): Promise<ApiKeyEntity[]> {
    const { plan, access, reference, q, condition, order = DEFAULT_SORT_ORDER } = filter;
    const others: FindOptionsWhere<ApiKeyEntity> = {
      number: Between(...boundsAfter(afterId, order)),
      ...(plan === undefined ? {} : { plan }),
      ...(access === undefined ? {} : { access }),
      ...(reference === undefined ? {} : { reference }),
      ...(q === undefined ? {} : { name: whereMatches(q) }),
      ...(condition === undefined ? {} : { id: Raw(condition.sqlOf, condition.parameters) }),
    };
    const states = filter.state === undefined ? [{}] : whereOfState(filter.state, now);
    return this.keys.find({
      where: states.map((state) => ({ ...others, ...state })),
      order: { number: order },
      take: count,
    });
  }

  /** The keys with exactly this name, in the order of their creation. */
  async idsWithName(name: string): Promise<string[]> {
    return (await this.keys.find({ select: { id: true }, where: { name }, order: { number: 'asc' } })).map(
      ({ id }) => id,
    );
  }

  /** What names keys in a message, in the order of their creation. */
  prefixesOf(ids: readonly string[]): Promise<Pick<ApiKeyEntity, 'id' | 'prefix'>[]> {
    return this.keys.find({
      select: { id: true, prefix: true },
      where: { id: Any(ids) },
      order: { number: 'asc' },
    });
  }

  /** The names of these keys, by their ids. */
  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const keys = await this.keys.find({ select: { id: true, name: true }, where: { id: Any(ids) } });
    return new Map(keys.map(({ id, name }) => [id, name]));
  }

  /** At most `count` events of a key that follow `afterId`. */
  events(keyId: string, order: SortOrder, count: number, afterId?: bigint): Promise<KeyEventEntity[]> {
    return this.keyEvents.find({
      where: { keyId, id: Between(...boundsAfter(afterId, order)) },
      order: { id: order },
      take: count,
    });
  }

  /** The access of those of these keys that are neither revoked nor expired at `now`, by id. */
  async accessOfLive(ids: readonly string[], now: Date): Promise<Map<string, Access>> {
    const rows = await this.database.query<Pick<ApiKeyEntity, 'id' | 'access'>>(ACCESS_OF_LIVE, [ids, now]);
    return new Map(rows.map(({ id, access }) => [id, access]));
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

/**
 * Keys with `text` in their name or reference, whatever the case, or with a secret that begins like it. The condition stands on the name,
 * because an alternative for each column would double those of the states.
 */
function whereMatches(text: string) {
  const part = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const bySecret = text.startsWith('ask_')
    ? ' or id in (select key_id from key_secrets where starts_with(key_secrets.prefix, :start))'
    : '';
  return Raw((name) => `(${name} ilike :part or reference ilike :part${bySecret})`, { part, start: text });
}
