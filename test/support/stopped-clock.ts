import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preload } from './preload.js';

const MINUTE_MS = 60_000;

/** The clock of a service that counts in memory. It stands still, 30 s past a minute (by default this one), until a test turns it. */
export class StoppedClock {
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-clock-'));
  private readonly file = join(this.folder, 'now');
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

  /** Turns forward to 30 s past the next minute. */
  toHalfMinute(): void {
    this.set((Math.floor(this.nowMs() / MINUTE_MS) + 1) * MINUTE_MS + MINUTE_MS / 2);
  }

  drop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private set(nowMs: number): void {
    // Atomic, because the service may read the file at any moment.
    writeFileSync(`${this.file}.new`, String(Math.floor(nowMs)));
    renameSync(`${this.file}.new`, this.file);
  }
}
