import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { idempotencyKeyInUse, idempotencyKeyReused } from './idempotency.errors.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** The stored response to a repeat: JSON byte for byte, its status and the `Location`. */
export type StoredResponse = Pick<IdempotencyKeyEntity, 'status' | 'body' | 'location'>;

/** Runs work once for each idempotency key of an API key. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly database: Database,
  ) {}

  /**
   * Runs `work` and stores its response, or resolves with the stored response. Work, response and key are one transaction, and
   * nothing is stored when `work` throws.
   *
   * @throws ApiError `idempotency_key_reused` when `fingerprint` is of another request, `idempotency_key_in_use`
   */
  once(
    keyId: string,
    idempotencyKey: string,
    fingerprint: Buffer,
    work: () => Promise<StoredResponse>,
  ): Promise<{ response: StoredResponse; isReplayed: boolean }> {
    const lockName = hash('sha256', `${keyId} ${idempotencyKey}`, 'buffer');
    return this.database.transaction(async () => {
      if (!(await this.repository.lock(lockName))) throw idempotencyKeyInUse();
      const stored = await this.repository.find(keyId, idempotencyKey);
      if (stored) {
        if (!stored.fingerprint.equals(fingerprint)) throw idempotencyKeyReused();
        return { response: stored, isReplayed: true };
      }
      const response = await work();
      await this.repository.store({ keyId, idempotencyKey, fingerprint, ...response });
      return { response, isReplayed: false };
    });
  }
}
