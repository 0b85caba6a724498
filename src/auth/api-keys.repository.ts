import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { Database, type Statement } from '../database/database.js';
import type { KeyBan } from './api-key.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { KeyEventEntity, type KeyEventKind } from './key-event.entity.js';
import type { Plan } from './plans.js';

/** The columns a new key is written with. */
export type NewApiKey = Pick<
  ApiKeyEntity,
  'id' | 'name' | 'plan' | 'perMinute' | 'perDay' | 'readOnly' | 'prefix' | 'secretHash' | 'expiresAt'
>;

export interface CallerRow {
  id: string;
  plan: Plan;
  per_minute: number | null;
  per_day: number | null;
  read_only: boolean;
  expires_at: Date | null;
  banned_until: Date | null;
  ban_lasted_ms: number | null;
  forgiven_at: Date | null;
}

const FIND_CALLER: Statement = {
  name: 'find-caller',
  // least() passes over null: an old secret ends with its overlap or with the key, whichever comes first.
  text: `select id, plan, per_minute, per_day, read_only, banned_until, ban_lasted_ms, forgiven_at,
      case when secret_hash = $1 then expires_at else least(expires_at, old_secret_ends_at) end as expires_at
    from api_keys where (secret_hash = $1 or old_secret_hash = $1) and revoked_at is null`,
};

// A ban that ends earlier than the one on the row came late. One that the counters started before they knew of an
// unban is not kept: the mark they went by is no longer the row's.
const RECORD_BAN: Statement = {
  name: 'record-ban',
  text: `with banned as (
      update api_keys set banned_until = $2, ban_lasted_ms = $3
      where id = $1 and (banned_until is null or banned_until < $2) and forgiven_at is not distinct from $4
      returning id
    )
    insert into key_events (key_id, kind, detail) select id, 'banned', $5 from banned`,
};

// In one order everywhere, so that two replicas never wait for each other.
const RECORD_USE: Statement = {
  name: 'record-use',
  text: `update api_keys set last_used_at = $2
    where id in (
      select id from api_keys
      where id = any($1::uuid[]) and (last_used_at is null or last_used_at < $2)
      order by id for no key update
    )`,
};

/** Every change of a key and the event that tells of it are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly database: Database,
  ) {}

  async insert(key: NewApiKey): Promise<ApiKeyEntity> {
    await this.change(key.id, 'created', describePlan(key), (keys) => keys.insert(key));
    return this.keys.findOneByOrFail({ id: key.id });
  }

  /** Oldest first. */
  list(): Promise<ApiKeyEntity[]> {
    return this.keys.find({ order: { createdAt: 'asc', id: 'asc' } });
  }

  find(id: string): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy({ id });
  }

  async existsAny(): Promise<boolean> {
    return (await this.keys.count({ take: 1 })) > 0;
  }

  /** The events of a key, oldest first. */
  events(keyId: string): Promise<KeyEventEntity[]> {
    return this.keys.manager.getRepository(KeyEventEntity).find({ where: { keyId }, order: { id: 'asc' } });
  }

  /** Revoked for good; a key revoked before keeps its first date. */
  async revoke(id: string, revokedAt: Date): Promise<void> {
    await this.change(id, 'revoked', null, (keys) => keys.update({ id, revokedAt: IsNull() }, { revokedAt }));
  }

  /** A new secret; the one until now becomes the old one, and the one before that is gone. */
  async rotate(
    id: string,
    secret: Pick<ApiKeyEntity, 'prefix' | 'secretHash'>,
    oldSecretEndsAt: Date,
  ): Promise<void> {
    const changes = { ...secret, oldSecretHash: () => 'secret_hash', oldSecretEndsAt };
    const detail = `the secret before works until ${oldSecretEndsAt.toISOString()}`;
    await this.change(id, 'rotated', detail, (keys) => keys.update({ id, revokedAt: IsNull() }, changes));
  }

  async setPlan(id: string, plan: Pick<ApiKeyEntity, 'plan' | 'perMinute' | 'perDay'>): Promise<void> {
    await this.change(id, 'plan-changed', describePlan(plan), (keys) => keys.update({ id }, plan));
  }

  /** Ends the ban, and with it everything that would make the next one longer. */
  async forgive(id: string, forgivenAt: Date): Promise<void> {
    const forgiven = { forgivenAt, bannedUntil: null, banLastedMs: null };
    await this.change(id, 'unbanned', null, (keys) => keys.update({ id }, forgiven));
  }

  /** The key with this secret, unless revoked. */
  async findCaller(secretHash: Buffer): Promise<CallerRow | undefined> {
    const [row] = await this.database.query<CallerRow>(FIND_CALLER, [secretHash]);
    return row;
  }

  /** `forgivenAtMs`: the mark that the ban was decided by. */
  async recordBan(id: string, ban: KeyBan, forgivenAtMs: number): Promise<void> {
    const mark = forgivenAtMs === 0 ? null : new Date(forgivenAtMs);
    const until = new Date(ban.untilMs);
    const detail = `until ${until.toISOString()}`;
    await this.database.query(RECORD_BAN, [id, until, ban.lastedMs, mark, detail]);
  }

  /** Never moves a key's last use back. */
  async recordUse(ids: readonly string[], at: Date): Promise<void> {
    await this.database.query(RECORD_USE, [ids, at]);
  }

  private async change(
    keyId: string,
    kind: KeyEventKind,
    detail: string | null,
    work: (keys: Repository<ApiKeyEntity>) => Promise<unknown>,
  ): Promise<void> {
    await this.keys.manager.transaction(async (manager) => {
      await work(manager.getRepository(ApiKeyEntity));
      await manager.getRepository(KeyEventEntity).insert({ keyId, kind, detail });
    });
  }
}

function describePlan({
  plan,
  perMinute,
  perDay,
}: Pick<ApiKeyEntity, 'plan' | 'perMinute' | 'perDay'>): string {
  return perMinute === null ? plan : `${plan}, ${String(perMinute)} a minute, ${String(perDay)} a day`;
}
