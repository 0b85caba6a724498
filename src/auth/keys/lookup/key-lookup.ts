import { Injectable, Logger } from '@nestjs/common';
import { BackgroundTasks } from '../../../platform/common/background-tasks.js';
import { RecentMap } from '../../../platform/common/recent-map.js';
import { Clock } from '../../../platform/common/time.js';
import { BatchLoader } from '../../../platform/overload/batch-loader.js';
import { hashApiKey, hashApiKeyAsText, isWellFormedApiKey } from '../api-key-format.js';
import { toCallerKey, type CallerColumns, type CallerKey } from '../api-key.js';
import { ApiKeysRepository } from '../api-keys.repository.js';
import { IssuedKeys } from './issued-keys.js';
import { LastUse } from './last-use.js';

/** What was looked up is never trusted for longer. */
const TRUSTED_MS = 5_000;
/** A key that is used after this time is loaded again in the background, so that its requests do not wait. */
const RENEW_AFTER_MS = 4_000;
/** A process looks up fewer secrets in TRUSTED_MS, so unknown ones do not displace keys in use. */
const MAX_HELD = 100_000;
const MAX_EXHAUSTED_ADDRESSES = 100_000;

const BATCHES = { keysPerStatement: 100, maxWaitMs: 1_000 };
const ISSUED_STATEMENTS = 2;
const UNKNOWN_STATEMENTS = 1;

/** Every replica applies a change within a second. */
const READ_CHANGES_EVERY_MS = 300;
/** How far back each read goes, because a transaction may commit an event this long after its date. */
const OVERLAP_SECONDS = 10;

/** The result of a look-up. No key: the secret is unknown or revoked. */
interface Entry {
  key: CallerKey | undefined;
  loadedAtMs: number;
}

type Loading = Promise<CallerKey | undefined>;

/**
 * Finds the key behind a secret, from memory where possible, and drops keys from memory as soon as a command or another replica has
 * changed them. Guessed keys have a statement of their own, so they cannot delay issued keys; and from an address that is out of
 * requests they cost no look-up at all. Secrets are held as hashes only.
 */
@Injectable()
export class KeyLookup {
  private readonly logger = new Logger('KeyLookup');
  private readonly held = new RecentMap<string, Entry>(MAX_HELD);
  /** The look-ups under way. A change of keys replaces this map, so that what was loaded before it is not kept. */
  private loading = new Map<string, Loading>();
  /** When the window of an exhausted address ends, on the monotonic clock. */
  private readonly exhaustedUntilMs = new RecentMap<string, number>(MAX_EXHAUSTED_ADDRESSES);
  /** Look-ups of secrets that may be issued, and of all other secrets. */
  private readonly issuedLookups: BatchLoader<Buffer, CallerColumns | undefined>;
  private readonly unknownLookups: BatchLoader<Buffer, CallerColumns | undefined>;
  private seenChanges = new Set<bigint>();

  constructor(
    tasks: BackgroundTasks,
    private readonly issued: IssuedKeys,
    private readonly lastUse: LastUse,
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    const lookups = (maxStatements: number) =>
      new BatchLoader((hashes: readonly Buffer[]) => repository.findCallers(hashes), {
        ...BATCHES,
        maxStatements,
      });
    this.issuedLookups = lookups(ISSUED_STATEMENTS);
    this.unknownLookups = lookups(UNKNOWN_STATEMENTS);
    // Nothing is lost by a failure, because a key in memory is trusted for a few seconds only.
    tasks.every(READ_CHANGES_EVERY_MS, 'cannot look for changes of keys', () => this.readChanges());
  }

  /** Guessed keys from this address are not looked up for this time. */
  noteExhausted(address: string, forMs: number): void {
    this.exhaustedUntilMs.set(address, this.clock.monotonicMs() + forMs);
  }

  /**
   * The key with this secret, whose use is noted; undefined when the secret is malformed, unknown, revoked or expired. `addressOf`: the
   * client address as the rate limit counts it.
   * @throws ApiError service_unavailable when the database is away or overloaded
   */
  async identify(secret: string, addressOf: () => string): Loading {
    if (!isWellFormedApiKey(secret)) return undefined;
    const key = await this.find(secret, addressOf);
    const nowMs = this.clock.nowMs();
    if (!key || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs)) return undefined;
    this.lastUse.note(key.id, nowMs);
    return key;
  }

  /** The key with this secret, unless it is unknown or revoked. */
  find(secret: string, addressOf: () => string): Loading | CallerKey | undefined {
    const hashText = hashApiKeyAsText(secret);
    const held = this.held.get(hashText);
    const ageMs = held ? this.clock.monotonicMs() - held.loadedAtMs : Infinity;
    if (held && ageMs < TRUSTED_MS) {
      if (held.key && ageMs >= RENEW_AFTER_MS)
        this.load(hashText, hashApiKey(secret), true).catch(() => undefined);
      return held.key;
    }
    const hash = hashApiKey(secret);
    const mayBeIssued = this.issued.mayInclude(hash);
    if (!mayBeIssued && this.isExhausted(addressOf())) return undefined;
    return this.load(hashText, hash, mayBeIssued);
  }

  /** Drops the keys that were changed since the last call: their next requests load them again. */
  async readChanges(): Promise<void> {
    const recent = await this.repository.recentEvents(OVERLAP_SECONDS);
    const changes = recent.filter(({ id }) => !this.seenChanges.has(id));
    for (const { keyId, kind, secretHash } of changes) {
      if (secretHash) this.issued.add(secretHash);
      if (kind === 'unbanned') this.logger.log({ keyId }, 'lifted the ban of a key');
    }
    if (changes.length > 0) this.forget(new Set(changes.map(({ keyId }) => keyId)));
    this.seenChanges = new Set(recent.map(({ id }) => id));
  }

  private forget(keyIds: ReadonlySet<string>): void {
    this.held.deleteWhere(({ key }) => key !== undefined && keyIds.has(key.id));
    this.loading = new Map();
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
          if (loading === this.loading) this.held.set(hashText, { key, loadedAtMs });
          return key;
        })
        .finally(() => loading.delete(hashText));
      loading.set(hashText, result);
    }
    return result;
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
