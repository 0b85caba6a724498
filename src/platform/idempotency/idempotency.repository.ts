import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { Database, type Statement } from '../database/database.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

/** How long a repeat gets the stored response. */
const RETENTION = `interval '24 hours'`;

// The transaction holds the lock until it ends. Another key with the same 64 bits gets 409 and tries again.
const LOCK: Statement = {
  name: 'lock-idempotency-key',
  text: 'select pg_try_advisory_xact_lock($1::int4, $2::int4) as locked',
};

// Few at a time, so that locks are short. Not `for update skip locked`, which distributed tables refuse.
const DELETE_EXPIRED: Statement = {
  name: 'delete-expired-idempotency-keys',
  text: `delete from idempotency_keys where (key_id, idempotency_key) in (
      select key_id, idempotency_key from idempotency_keys
      where created_at <= now() - ${RETENTION}
      order by created_at limit $1
    ) returning 1`,
};

/** Stored responses by API key and Idempotency-Key. */
@Injectable()
export class IdempotencyRepository {
  constructor(
    @InjectRepository(IdempotencyKeyEntity) private readonly keys: Repository<IdempotencyKeyEntity>,
    private readonly database: Database,
  ) {}

  /** Locks a key for the rest of the transaction; false while another transaction holds it. */
  async lock(keyId: string, idempotencyKey: string): Promise<boolean> {
    const name = hash('sha256', `${keyId} ${idempotencyKey}`, 'buffer');
    const halves = [name.readInt32BE(0), name.readInt32BE(4)];
    const [row] = await this.database.query<{ locked: boolean }>(LOCK, halves);
    return row?.locked ?? false;
  }

  /** Null where there is none or it has expired. */
  find(keyId: string, idempotencyKey: string): Promise<IdempotencyKeyEntity | null> {
    const createdAt = Raw((column) => `${column} > now() - ${RETENTION}`);
    return this.keys.findOneBy({ keyId, idempotencyKey, createdAt });
  }

  /** Replaces a row that has expired. */
  async save(key: Omit<IdempotencyKeyEntity, 'createdAt'>): Promise<void> {
    await this.keys.upsert({ ...key, createdAt: () => 'now()' }, ['keyId', 'idempotencyKey']);
  }

  /** Deletes at most `limit` expired keys; resolves with their number. */
  async deleteExpired(limit: number): Promise<number> {
    return (await this.database.query(DELETE_EXPIRED, [limit])).length;
  }
}
