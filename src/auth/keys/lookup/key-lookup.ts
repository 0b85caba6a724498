import { Injectable, Logger } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Clock } from '../../../common/clock.js';
import { RecentMap } from '../../../common/recent-map.js';
import { overloaded } from '../../../common/errors/common.errors.js';
import { DatabaseUnavailableError } from '../../../database/database.errors.js';
import { ConcurrencyLimiter } from '../../../overload/concurrency-limiter.js';
import { hashApiKey, hashApiKeyAsText } from '../api-key-format.js';
import { toCallerKey, type CallerColumns, type CallerKey } from '../api-key.js';
import { ApiKeysRepository } from '../api-keys.repository.js';
import { IssuedKeys } from './issued-keys.js';
import { KeyCache } from './key-cache.js';

/** Statements at a time for secrets that may be issued, and for all other secrets together. */
const ISSUED_SLOTS = 2;
const UNKNOWN_SLOTS = 1;
const KEYS_PER_STATEMENT = 100;
/** A request that waits longer for a look-up gets 503. */
const WAIT_AT_MOST_MS = 1_000;
const MAX_WAITING = 2_000;
const MAX_EXHAUSTED_ADDRESSES = 100_000;

/**
 * Finds the key behind a secret, from memory where possible. A look-up starts at once while a slot is free; others wait
 * for the next slot and share one statement. Guessed keys have a slot of their own, so they cannot delay issued keys; and
 * from an address that is out of requests they cost no look-up at all.
 */
@Injectable()
export class KeyLookup {
  private readonly logger = new Logger('KeyLookup');
  private readonly issuedLookups: BatchedLookups;
  private readonly unknownLookups: BatchedLookups;
  /** When the window of an exhausted address ends, on the monotonic clock. */
  private readonly exhaustedUntilMs = new RecentMap<string, number>(MAX_EXHAUSTED_ADDRESSES);

  constructor(
    private readonly cache: KeyCache,
    private readonly issued: IssuedKeys,
    repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    this.issuedLookups = new BatchedLookups(repository, ISSUED_SLOTS);
    this.unknownLookups = new BatchedLookups(repository, UNKNOWN_SLOTS);
  }

  /** Guessed keys from this address are not looked up for this time. */
  noteExhausted(address: string, forMs: number): void {
    this.exhaustedUntilMs.set(address, this.clock.monotonicMs() + forMs);
  }

  /**
   * The key with this well-formed secret, unless it is unknown or revoked.
   * @throws ApiError service_unavailable when the database is away or overloaded
   */
  find(secret: string, addressOf?: () => string): Promise<CallerKey | undefined> | CallerKey | undefined {
    const hashText = hashApiKeyAsText(secret);
    const cached = this.cache.get(hashText);
    if (cached) {
      if (cached.isDue) this.load(hashText, hashApiKey(secret), true).catch(() => undefined);
      return cached.key;
    }
    const hash = hashApiKey(secret);
    const mayBeIssued = this.issued.mayInclude(hash);
    if (!mayBeIssued && addressOf && this.isExhausted(addressOf())) return undefined;
    return this.load(hashText, hash, mayBeIssued);
  }

  private isExhausted(address: string): boolean {
    return (this.exhaustedUntilMs.get(address) ?? 0) > this.clock.monotonicMs();
  }

  private load(hashText: string, hash: Buffer, mayBeIssued: boolean): Promise<CallerKey | undefined> {
    return this.cache.load(hashText, async () => {
      const columns = await (mayBeIssued ? this.issuedLookups : this.unknownLookups).load(hash);
      if (!columns) return undefined;
      this.issued.add(hash);
      const key = toCallerKey(columns);
      if (!key)
        this.logger.error(
          { keyId: columns.id, plan: columns.plan },
          'a key has no limits and is not accepted',
        );
      return key;
    });
  }
}

/** Look-ups that share a few statements at a time. */
class BatchedLookups {
  private readonly limiter: ConcurrencyLimiter;
  private readonly loader: DataLoader<Buffer, CallerColumns | undefined>;
  /** The reason why the batch that is being dispatched gets no slot. */
  private refusal: Error | undefined;
  private waiting = 0;
  /** Statements that the database has answered. */
  private answered = 0;

  constructor(
    private readonly repository: ApiKeysRepository,
    slots: number,
  ) {
    this.limiter = new ConcurrencyLimiter(slots, WAIT_AT_MOST_MS, overloaded);
    this.loader = new DataLoader((hashes) => this.run(hashes), {
      cache: false,
      maxBatchSize: KEYS_PER_STATEMENT,
      batchScheduleFn: (dispatch) => this.schedule(dispatch),
    });
  }

  async load(hash: Buffer): Promise<CallerColumns | undefined> {
    if (this.waiting >= MAX_WAITING) throw overloaded();
    this.waiting += 1;
    try {
      return await this.loader.load(hash);
    } finally {
      this.waiting -= 1;
    }
  }

  /** Dispatches a batch when a slot is free; until then further look-ups join the batch. */
  private schedule(dispatch: () => void): void {
    const slot = this.limiter.acquire();
    if (!slot) {
      process.nextTick(dispatch);
      return;
    }
    const { answered } = this;
    slot.then(dispatch, () => {
      // Without an answer in all this time the database is away.
      this.refusal = this.answered === answered ? new DatabaseUnavailableError() : overloaded();
      dispatch();
      this.refusal = undefined;
    });
  }

  private async run(hashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> {
    if (this.refusal) throw this.refusal;
    try {
      const callers = await this.repository.findCallers(hashes);
      this.answered += 1;
      return callers;
    } finally {
      this.limiter.release();
    }
  }
}
