import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { CallerKey } from './api-key.js';

/** A cached key older than this is not trusted, whatever happened. */
const TRUSTED_MS = 5_000;
const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 100_000;

interface Entry {
  key: CallerKey;
  readAtMs: number;
}

/**
 * What was last read of the keys in use, and which well-formed secrets are nobody's. Both are bounded; the
 * oldest goes first. Secrets are known by their hash only.
 */
@Injectable()
export class CallerCache {
  private readonly entries = new Map<string, Entry>();
  private readonly unknown = new Map<string, number>();
  private readonly hashesOfKey = new Map<string, Set<string>>();
  private readonly reading = new Map<string, Promise<CallerKey | undefined>>();
  /** Grows with every change, so that what was read before it is not kept. */
  private changes = 0;

  constructor(private readonly clock: Clock) {}

  /** The key with this secret's hash; undefined: nobody's. `read` is asked once for all who wait for the same. */
  find(
    hash: string,
    read: () => Promise<CallerKey | undefined>,
  ): Promise<CallerKey | undefined> | CallerKey | undefined {
    const nowMs = this.clock.monotonicMs();
    const entry = this.entries.get(hash);
    if (entry && nowMs - entry.readAtMs < TRUSTED_MS) return entry.key;
    const unknownAtMs = this.unknown.get(hash);
    if (unknownAtMs !== undefined && nowMs - unknownAtMs < TRUSTED_MS) return undefined;
    let reading = this.reading.get(hash);
    if (!reading) {
      reading = this.read(hash, nowMs, read);
      this.reading.set(hash, reading);
    }
    return reading;
  }

  /** After a change of the key: the next request reads it anew. */
  forget(keyId: string): void {
    for (const hash of this.hashesOfKey.get(keyId) ?? []) this.entries.delete(hash);
    this.hashesOfKey.delete(keyId);
    // A reading under way may have missed the change: nobody new joins it, and it is not kept.
    this.reading.clear();
    this.changes += 1;
  }

  private async read(
    hash: string,
    nowMs: number,
    read: () => Promise<CallerKey | undefined>,
  ): Promise<CallerKey | undefined> {
    const { changes } = this;
    try {
      const key = await read();
      // What is read is as old as the moment the reading began.
      if (changes === this.changes) this.remember(hash, key, nowMs);
      return key;
    } finally {
      if (changes === this.changes) this.reading.delete(hash);
    }
  }

  private remember(hash: string, key: CallerKey | undefined, readAtMs: number): void {
    this.entries.delete(hash);
    this.unknown.delete(hash);
    if (key) {
      this.entries.set(hash, { key, readAtMs });
      const hashes = this.hashesOfKey.get(key.id) ?? new Set();
      this.hashesOfKey.set(key.id, hashes.add(hash));
      this.dropOldest();
    } else {
      this.unknown.set(hash, readAtMs);
      const [oldest] = this.unknown.keys();
      if (this.unknown.size > MAX_UNKNOWN && oldest !== undefined) this.unknown.delete(oldest);
    }
  }

  private dropOldest(): void {
    if (this.entries.size <= MAX_KEYS) return;
    const [oldest] = this.entries;
    if (!oldest) return;
    const [hash, { key }] = oldest;
    this.entries.delete(hash);
    const hashes = this.hashesOfKey.get(key.id);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.hashesOfKey.delete(key.id);
  }
}
