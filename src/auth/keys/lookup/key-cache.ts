import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { RecentMap } from '../../../common/recent-map.js';
import type { CallerKey } from '../api-key.js';

/** A cached key is never trusted for longer. */
const TRUSTED_MS = 5_000;
/** A key that is used after this time is loaded again in the background, so that its requests do not wait. */
const RENEW_AFTER_MS = 4_000;
const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 100_000;

/** The result of a look-up. No key: the secret is unknown or revoked. */
interface Entry {
  key: CallerKey | undefined;
  loadedAtMs: number;
}

type Load = () => Promise<CallerKey | undefined>;

/**
 * The last look-up of each secret in use, and of secrets that no key has. Both are bounded separately, so that unknown
 * secrets cannot displace keys. Secrets are held as hashes only.
 */
@Injectable()
export class KeyCache {
  private readonly keys = new RecentMap<string, Entry>(MAX_KEYS);
  private readonly unknown = new RecentMap<string, Entry>(MAX_UNKNOWN);
  private readonly loading = new Map<string, Promise<CallerKey | undefined>>();
  /** Grows with every change, so that what was loaded before a change is not kept. */
  private changes = 0;

  constructor(private readonly clock: Clock) {}

  /** How many look-ups are held and under way. */
  get size(): number {
    return this.keys.size + this.unknown.size + this.loading.size;
  }

  /** The trusted look-up of this hash; undefined: there is none. */
  get(hash: string): { key: CallerKey | undefined; isDue: boolean } | undefined {
    const entry = this.keys.get(hash) ?? this.unknown.get(hash);
    if (!entry) return undefined;
    const ageMs = this.clock.monotonicMs() - entry.loadedAtMs;
    if (ageMs >= TRUSTED_MS) return undefined;
    return { key: entry.key, isDue: entry.key !== undefined && ageMs >= RENEW_AFTER_MS };
  }

  /** Loads the key of this hash, once for all requests that wait for it, and keeps the result. */
  load(hash: string, load: Load): Promise<CallerKey | undefined> {
    let loading = this.loading.get(hash);
    if (!loading) {
      loading = this.loadAndKeep(hash, load);
      this.loading.set(hash, loading);
    }
    return loading;
  }

  /** Drops these keys after a change: their next requests load them again. */
  forget(keyIds: ReadonlySet<string>): void {
    this.keys.deleteWhere(({ key }) => key !== undefined && keyIds.has(key.id));
    // A look-up under way may have missed the change: no new request joins it, and its result is not kept.
    this.loading.clear();
    this.changes += 1;
  }

  private async loadAndKeep(hash: string, load: Load): Promise<CallerKey | undefined> {
    const { changes } = this;
    // A result is as old as the moment at which its look-up began.
    const loadedAtMs = this.clock.monotonicMs();
    try {
      const key = await load();
      if (changes === this.changes) this.keep(hash, { key, loadedAtMs });
      return key;
    } finally {
      if (changes === this.changes) this.loading.delete(hash);
    }
  }

  private keep(hash: string, entry: Entry): void {
    const [into, from] = entry.key ? [this.keys, this.unknown] : [this.unknown, this.keys];
    from.delete(hash);
    into.set(hash, entry);
  }
}
