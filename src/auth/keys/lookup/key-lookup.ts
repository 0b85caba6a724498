import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/time.js';
import { RecentMap } from '../../../common/recent-map.js';
import { BatchLoader } from '../../../overload/batch-loader.js';
import { hashApiKey, hashApiKeyAsText } from '../api-key-format.js';
import { toCallerKey, type CallerColumns, type CallerKey } from '../api-key.js';
import { ApiKeysRepository } from '../api-keys.repository.js';
import { IssuedKeys } from './issued-keys.js';

/** What was looked up is never trusted for longer. */
const TRUSTED_MS = 5_000;
/** A key that is used after this time is loaded again in the background, so that its requests do not wait. */
const RENEW_AFTER_MS = 4_000;
const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 100_000;
const MAX_EXHAUSTED_ADDRESSES = 100_000;

const BATCHES = { keysPerStatement: 100, maxWaitMs: 1_000 };
const ISSUED_STATEMENTS = 2;
const UNKNOWN_STATEMENTS = 1;

/** The result of a look-up. No key: the secret is unknown or revoked. */
interface Entry {
  key: CallerKey | undefined;
  loadedAtMs: number;
}

type Loading = Promise<CallerKey | undefined>;

/**
 * Finds the key behind a secret, from memory where possible. Guessed keys have a statement of their own, so they cannot delay
 * issued keys; and from an address that is out of requests they cost no look-up at all. Secrets are held as hashes only.
 */
@Injectable()
export class KeyLookup {
  private readonly logger = new Logger('KeyLookup');
  private readonly keys = new RecentMap<string, Entry>(MAX_KEYS);
  /** Bounded separately, so that unknown secrets cannot displace keys. */
  private readonly unknown = new RecentMap<string, Entry>(MAX_UNKNOWN);
  /** The look-ups under way. A change of keys replaces this map, so that what was loaded before it is not kept. */
  private loading = new Map<string, Loading>();
  /** When the window of an exhausted address ends, on the monotonic clock. */
  private readonly exhaustedUntilMs = new RecentMap<string, number>(MAX_EXHAUSTED_ADDRESSES);
  /** Look-ups of secrets that may be issued, and of all other secrets. */
  private readonly issuedLookups: BatchLoader<Buffer, CallerColumns | undefined>;
  private readonly unknownLookups: BatchLoader<Buffer, CallerColumns | undefined>;

  constructor(
    private readonly issued: IssuedKeys,
    repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    const lookups = (maxStatements: number) =>
      new BatchLoader((hashes: readonly Buffer[]) => repository.findCallers(hashes), {
        ...BATCHES,
        maxStatements,
      });
    this.issuedLookups = lookups(ISSUED_STATEMENTS);
    this.unknownLookups = lookups(UNKNOWN_STATEMENTS);
  }

  /** How many look-ups are held and under way. */
  get size(): number {
    return this.keys.size + this.unknown.size + this.loading.size;
  }

  /** Guessed keys from this address are not looked up for this time. */
  noteExhausted(address: string, forMs: number): void {
    this.exhaustedUntilMs.set(address, this.clock.monotonicMs() + forMs);
  }

  /** Drops these keys after a change: their next requests load them again. */
  forget(keyIds: ReadonlySet<string>): void {
    this.keys.deleteWhere(({ key }) => key !== undefined && keyIds.has(key.id));
    this.loading = new Map();
  }

  /**
   * The key with this well-formed secret, unless it is unknown or revoked.
   * @throws ApiError service_unavailable when the database is away or overloaded
   */
  find(secret: string, addressOf?: () => string): Loading | CallerKey | undefined {
    const hashText = hashApiKeyAsText(secret);
    const held = this.keys.get(hashText) ?? this.unknown.get(hashText);
    const ageMs = held ? this.clock.monotonicMs() - held.loadedAtMs : Infinity;
    if (held && ageMs < TRUSTED_MS) {
      if (held.key && ageMs >= RENEW_AFTER_MS)
        this.load(hashText, hashApiKey(secret), true).catch(() => undefined);
      return held.key;
    }
    const hash = hashApiKey(secret);
    const mayBeIssued = this.issued.mayInclude(hash);
    if (!mayBeIssued && addressOf && this.isExhausted(addressOf())) return undefined;
    return this.load(hashText, hash, mayBeIssued);
  }

  private isExhausted(address: string): boolean {
    return (this.exhaustedUntilMs.get(address) ?? 0) > this.clock.monotonicMs();
  }

  /** Looks a key up, once for all requests that wait for it, and keeps the result. */
  private load(hashText: string, hash: Buffer, mayBeIssued: boolean): Loading {
    const { loading } = this;
    let result = loading.get(hashText);
    if (!result) {
      // A result is as old as the moment at which its look-up began.
      const loadedAtMs = this.clock.monotonicMs();
      result = this.lookUp(hash, mayBeIssued)
        .then((key) => {
          if (loading === this.loading) this.keep(hashText, { key, loadedAtMs });
          return key;
        })
        .finally(() => loading.delete(hashText));
      loading.set(hashText, result);
    }
    return result;
  }

  private keep(hashText: string, entry: Entry): void {
    const [into, from] = entry.key ? [this.keys, this.unknown] : [this.unknown, this.keys];
    from.delete(hashText);
    into.set(hashText, entry);
  }

  private async lookUp(hash: Buffer, mayBeIssued: boolean): Loading {
    const columns = await (mayBeIssued ? this.issuedLookups : this.unknownLookups).load(hash);
    if (!columns) return undefined;
    this.issued.add(hash);
    const { id: keyId, plan } = columns;
    const key = toCallerKey(columns);
    if (!key) this.logger.error({ keyId, plan }, 'a key has no limits and is not accepted');
    return key;
  }
}
