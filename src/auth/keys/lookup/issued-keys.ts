import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundTasks } from '../../../platform/common/background-tasks.js';
import type { PeriodicTask } from '../../../platform/common/periodic-task.js';
import { Clock } from '../../../platform/common/time.js';
import { ApiKeysRepository } from '../api-keys.repository.js';

const CHECK_EVERY_MS = 1_000;
const RELOAD_EVERY_MS = 600_000;
const START_WAITS_AT_MOST_MS = 1_000;

/** 4 MiB for any number of keys. False positives: 0.005 % with one million keys, 0.7 % with three million. */
const BITS = 2 ** 25;
const BITS_PER_HASH = 5;

/**
 * Knows which secrets may have been issued, without the database: a Bloom filter over their hashes. It answers "perhaps"
 * for every issued secret, and "no" for almost every other one. So the service recognises most guessed keys without a
 * look-up.
 *
 * It loads all keys at the start and every ten minutes; key events add new secrets within a second. A key without an
 * event, for example from an import, is added when it is first looked up or with the next load.
 */
@Injectable()
export class IssuedKeys {
  private readonly words = new Uint32Array(BITS / 32);
  private readonly rounds: PeriodicTask;
  /** undefined: not all keys are loaded yet. */
  private loadedAtMs: number | undefined;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {
    this.rounds = tasks.every(CHECK_EVERY_MS, 'cannot load the list of issued keys', () => this.loadIfDue());
  }

  /** Resolves when all keys are loaded, after a second at the latest: with millions of keys, loading continues in the background. */
  async loadAtStart(): Promise<void> {
    await Promise.race([this.rounds.run(), pause(START_WAITS_AT_MOST_MS, undefined, { ref: false })]);
  }

  /** False only when no key with this hash was issued. Always true until all keys are loaded. */
  mayInclude(hash: Buffer): boolean {
    if (this.loadedAtMs === undefined) return true;
    for (let index = 0; index < BITS_PER_HASH; index += 1) {
      const bit = bitOf(hash, index);
      if (((this.words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  add(hash: Buffer): void {
    for (let index = 0; index < BITS_PER_HASH; index += 1) {
      const bit = bitOf(hash, index);
      this.words[bit >>> 5] = (this.words[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  /** Loads all keys page by page. */
  async load(): Promise<void> {
    const startedAtMs = this.clock.monotonicMs();
    for await (const page of this.repository.secretHashes()) {
      for (const { secretHash, oldSecretHash } of page) {
        this.add(secretHash);
        if (oldSecretHash) this.add(oldSecretHash);
      }
      if (this.rounds.isStopped) return;
    }
    this.loadedAtMs = startedAtMs;
  }

  private async loadIfDue(): Promise<void> {
    const ageMs = this.clock.monotonicMs() - (this.loadedAtMs ?? -Infinity);
    if (ageMs >= RELOAD_EVERY_MS) await this.load();
  }
}

/** A SHA-256 is uniform, so its words serve as the hash functions of the filter. */
function bitOf(hash: Buffer, index: number): number {
  return hash.readUInt32LE(index * 4) % BITS;
}
