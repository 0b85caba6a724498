import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './clean-up.js';
import { preload } from './preload.js';

const MINUTE_MS = 60_000;

/** The clock of a service that counts in memory. It stands still, 30 s past a minute (by default this one), until a test turns it. */
export class StoppedClock {
  private readonly file = join(temporaryFolder(), 'now');
  /** The environment in which the service reads the time from the file. */
  readonly env: Record<string, string>;

  constructor(startMs = Date.now()) {
    this.set(Math.floor(startMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS / 2);
    this.env = preload(`
      import { readFileSync } from 'node:fs';
      Date.now = () => Number(readFileSync(${JSON.stringify(this.file)}, 'utf8'));
    `);
  }

  nowMs(): number {
    return Number(readFileSync(this.file, 'utf8'));
  }

  turn(byMs: number): void {
    this.set(this.nowMs() + byMs);
  }

  private set(nowMs: number): void {
    // Atomic, because the service may read the file at any moment.
    writeFileSync(`${this.file}.new`, String(Math.floor(nowMs)));
    renameSync(`${this.file}.new`, this.file);
  }
}
