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
  text: `select id, plan, per_minute, per_day, read_only, expires_at, banned_until, ban_lasted_ms, forgiven_at
    from api_keys where secret_hash = $1 and revoked_at is null`,
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
    insert into key_events (key_id, kind) select id, 'banned' from banned`,
};

/** Every change of a key and the event that tells of it are one transaction. */
@Injectable()
export class ApiKeysRepository {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly database: Database,
  ) {}

  async insert(key: NewApiKey): Promise<ApiKeyEntity> {
    await this.change(key.id, 'created', (keys) => keys.insert(key));
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

  /** A key revoked before keeps its first date. */
  async revoke(id: string, revokedAt: Date): Promise<void> {
    await this.change(id, 'revoked', (keys) => keys.update({ id, revokedAt: IsNull() }, { revokedAt }));
  }

  async setPlan(id: string, plan: Pick<ApiKeyEntity, 'plan' | 'perMinute' | 'perDay'>): Promise<void> {
    await this.change(id, 'plan-changed', (keys) => keys.update({ id }, plan));
  }

  /** Ends the ban, and with it everything that would make the next one longer. */
  async forgive(id: string, forgivenAt: Date): Promise<void> {
    const forgiven = { forgivenAt, bannedUntil: null, banLastedMs: null };
    await this.change(id, 'unbanned', (keys) => keys.update({ id }, forgiven));
  }

  /** The key with this secret, unless revoked. */
  async findCaller(secretHash: Buffer): Promise<CallerRow | undefined> {
    const [row] = await this.database.query<CallerRow>(FIND_CALLER, [secretHash]);
    return row;
  }

  /** `forgivenAtMs`: the mark that the ban was decided by. */
  async recordBan(id: string, ban: KeyBan, forgivenAtMs: number): Promise<void> {
    const mark = forgivenAtMs === 0 ? null : new Date(forgivenAtMs);
    await this.database.query(RECORD_BAN, [id, new Date(ban.untilMs), ban.lastedMs, mark]);
  }

  private async change(
    keyId: string,
    kind: KeyEventKind,
    work: (keys: Repository<ApiKeyEntity>) => Promise<unknown>,
  ): Promise<void> {
    await this.keys.manager.transaction(async (manager) => {
      await work(manager.getRepository(ApiKeyEntity));
      await manager.getRepository(KeyEventEntity).insert({ keyId, kind });
    });
  }
}
