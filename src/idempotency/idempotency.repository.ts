import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';

/** What a repeat is answered with. */
export interface StoredAnswer {
  status: number;
  /** JSON, byte for byte; empty for an answer without a body. */
  body: string;
  location: string | null;
}

interface AnswerRow extends StoredAnswer {
  fingerprint: Buffer;
}

/** For how long a repeat gets the first answer. */
const KEPT_HOURS = 24;

// Held until the transaction ends. The two halves of a hash: another pair with the same 64 bits is told to try again.
const LOCK: Statement = {
  name: 'lock-idempotency-key',
  text: 'select pg_try_advisory_xact_lock($1::int4, $2::int4) as locked',
};

const FIND: Statement = {
  name: 'find-idempotency-key',
  text: `select fingerprint, status, body, location from idempotency_keys
    where key_id = $1 and idempotency_key = $2 and created_at > now() - interval '${String(KEPT_HOURS)} hours'`,
};

// Over a row that has expired and was not removed yet.
const STORE: Statement = {
  name: 'store-idempotency-key',
  text: `insert into idempotency_keys (key_id, idempotency_key, fingerprint, status, body, location)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (key_id, idempotency_key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
      location = excluded.location, created_at = now()`,
};

// A few at a time, past what somebody else holds: no lock lasts long.
const REMOVE_EXPIRED: Statement = {
  name: 'remove-expired-idempotency-keys',
  text: `with removed as (
      delete from idempotency_keys where (key_id, idempotency_key) in (
        select key_id, idempotency_key from idempotency_keys
        where created_at <= now() - interval '${String(KEPT_HOURS)} hours'
        order by created_at limit $1 for update skip locked
      ) returning 1
    )
    select count(*)::int as count from removed`,
};

/** Stored answers by API key and Idempotency-Key, and the lock that whoever is about to store one holds. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /** Takes a key for the rest of the transaction; false while another transaction has it. `hash`: 8 bytes of it count. */
  async lock(hash: Buffer): Promise<boolean> {
    const halves = [hash.readInt32BE(0), hash.readInt32BE(4)];
    const [row] = await this.database.query<{ locked: boolean }>(LOCK, halves);
    return row?.locked ?? false;
  }

  async find(keyId: string, idempotencyKey: string): Promise<AnswerRow | undefined> {
    const [row] = await this.database.query<AnswerRow>(FIND, [keyId, idempotencyKey]);
    return row;
  }

  async store(
    keyId: string,
    idempotencyKey: string,
    fingerprint: Buffer,
    { status, body, location }: StoredAnswer,
  ): Promise<void> {
    await this.database.query(STORE, [keyId, idempotencyKey, fingerprint, status, body, location]);
  }

  /** Removes at most `limit` expired keys; resolves with how many there were. */
  async removeExpired(limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(REMOVE_EXPIRED, [limit]);
    return row?.count ?? 0;
  }
}
