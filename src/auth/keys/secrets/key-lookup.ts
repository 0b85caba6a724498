import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { batches } from '../../../platform/database/batches.js';
import { Clock } from '../../../platform/common/time.js';
import { hashApiKeyAsText, isWellFormedApiKey } from './api-key-format.js';
import { toCallerKey, type CallerKey } from '../../caller-key.js';
import { KeySecretsRepository } from './key-secrets.repository.js';

/** Every replica applies a change of a key within a second; the rest is for the request itself. */
const TRUSTED_MS = 800;
/** About 16 MB. A process looks up fewer secrets in TRUSTED_MS. */
const MAX_HELD = 40_000;
const MAX_KEYS_A_STATEMENT = 100;

/**
 * Finds the key behind a secret. A result, of an unknown secret too, is kept for less than a second from the start of its look-up.
 * Look-ups share statements, so that guesses do not delay the look-ups of issued keys. Secrets are held as hashes only.
 */
@Injectable()
export class KeyLookup {
  private readonly logger = new Logger('KeyLookup');
  private readonly held: LRUCache<string, Promise<CallerKey | undefined>>;
  private readonly lookups;

  constructor(
    repository: KeySecretsRepository,
    private readonly clock: Clock,
  ) {
    const perf = { now: () => clock.monotonicMs() };
    // With `max` the cache would allocate all entries at once.
    const atMost = { maxSize: MAX_HELD, sizeCalculation: () => 1 };
    this.held = new LRUCache({ ...atMost, ttl: TRUSTED_MS, ttlResolution: 0, perf });
    this.lookups = batches(MAX_KEYS_A_STATEMENT, (hashes: readonly Buffer[]) =>
      repository.findCallers(hashes),
    );
  }

  /**
   * The key with this secret; undefined when the secret is malformed, unknown, revoked or expired.
   * @throws ApiError service_unavailable when the database is away
   */
  async identify(secret: string): Promise<CallerKey | undefined> {
    const hashText = hashApiKeyAsText(secret);
    // What is held was well-formed.
    const held = this.held.get(hashText) ?? (isWellFormedApiKey(secret) ? this.find(hashText) : undefined);
    const key = await held;
    const isExpired = key && key.expiresAtMs !== null && key.expiresAtMs <= this.clock.nowMs();
    return isExpired ? undefined : key;
  }

  /** The look-up itself is kept, so that requests at the same time share it. A failed one is forgotten. */
  private find(hashText: string): Promise<CallerKey | undefined> {
    const lookUp = this.lookUp(Buffer.from(hashText, 'base64'));
    this.held.set(hashText, lookUp);
    lookUp.catch(() => {
      if (this.held.peek(hashText) === lookUp) this.held.delete(hashText);
    });
    return lookUp;
  }

  private async lookUp(hash: Buffer): Promise<CallerKey | undefined> {
    const columns = await this.lookups.load(hash);
    const key = columns && toCallerKey(columns);
    if (columns && !key) {
      const { id: keyId, plan } = columns;
      this.logger.error({ keyId, plan }, 'a key has no limits and is not accepted');
    }
    return key;
  }
}
