import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { Database, type Statement } from '../database/database.js';
import { ApiKeyEntity } from './api-key.entity.js';
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
}

const FIND_CALLER: Statement = {
  name: 'find-caller',
  text: `select id, plan, per_minute, per_day, read_only, expires_at
    from api_keys where secret_hash = $1 and revoked_at is null`,
};

@Injectable()
export class ApiKeysRepository {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly database: Database,
  ) {}

  async insert(key: NewApiKey): Promise<ApiKeyEntity> {
    await this.keys.insert(key);
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
    await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt });
  }

  /** The key with this secret, unless revoked. */
  async findCaller(secretHash: Buffer): Promise<CallerRow | undefined> {
    const [row] = await this.database.query<CallerRow>(FIND_CALLER, [secretHash]);
    return row;
  }
}
