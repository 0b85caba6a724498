import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { Database, type Statement } from '../../../platform/database/database.js';
import type { CallerColumns } from '../../caller-key.js';
import { KeySecretEntity } from './key-secret.entity.js';
import { rotationOf } from './rotation.js';

/** What is stored of a secret. */
export type StoredSecret = Pick<KeySecretEntity, 'hash' | 'prefix'>;

const FIND_CALLERS: Statement = {
  name: 'find-caller',
  // For a join, the planner reads all secrets of a small table. `limit 1` keeps it from turning the subquery into one, so each secret is
  // found by the index.
  text: `select wanted.hash as "wantedHash", caller.*
    from unnest($1::bytea[]) as wanted (hash)
    cross join lateral (
      select s.number as "secretNumber", s.ends_at as "secretEndsAt", k.id, name, k.prefix, plan, per_minute as "perMinute",
        per_day as "perDay", access, expires_at as "expiresAt", banned_until as "bannedUntil", ban_duration_ms as "banDurationMs",
        penalties_reset_at as "penaltiesResetAt"
      from key_secrets s
      join api_keys k on k.id = s.key_id
      where s.hash = wanted.hash and revoked_at is null
      limit 1
    ) caller`,
};

/** The secrets of keys. They change in the transaction that has locked the row of their key. */
@Injectable()
export class KeySecretsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(KeySecretEntity) private readonly secrets: Repository<KeySecretEntity>,
  ) {}

  /** The keys with these secrets, in their order; undefined: unknown or revoked. */
  async findCallers(secretHashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> {
    const rows = await this.database.query<CallerColumns & { wantedHash: Buffer }>(FIND_CALLERS, [
      secretHashes,
    ]);
    const found = new Map(rows.map((row) => [row.wantedHash.toString('base64'), row]));
    return secretHashes.map((hash) => found.get(hash.toString('base64')));
  }

  find(number: bigint): Promise<KeySecretEntity | null> {
    return this.secrets.findOneBy({ number });
  }

  /** The key that has or had the secret with this hash. */
  async keyIdOfHash(hash: Buffer): Promise<string | undefined> {
    return (await this.secrets.findOneBy({ hash }))?.keyId;
  }

  /** The keys with a secret that begins like this. */
  async keyIdsWithPrefix(prefix: string): Promise<string[]> {
    return (await this.secrets.findBy({ prefix })).map(({ keyId }) => keyId);
  }

  async insert(keyId: string, secret: StoredSecret): Promise<void> {
    await this.secrets.insert({ keyId, ...secret });
  }

  /** Adds a secret to a key, and ends older ones as `rotationOf` says. */
  async rotate(keyId: string, secret: StoredSecret, nowMs: number, overlapMs: number): Promise<void> {
    const older = await this.secrets.find({ where: { keyId }, order: { number: 'desc' } });
    const { ending, removed } = rotationOf(older, nowMs, overlapMs);
    for (const { number, endsAt } of ending) await this.secrets.update({ number }, { endsAt });
    if (removed.length > 0) await this.secrets.delete({ number: In(removed) });
    await this.insert(keyId, secret);
  }
}
