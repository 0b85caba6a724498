import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/clean-up.js';

const LIBRARIES = '/usr/lib';

/** libfaketime, which replaces the clock of a process; undefined if it is not installed. */
const library = !existsSync(LIBRARIES)
  ? undefined
  : readdirSync(LIBRARIES)
      .map((folder) => join(LIBRARIES, folder, 'faketime/libfaketimeMT.so.1'))
      .find((path) => existsSync(path));

/** A clock for the processes of one test. It continues from the time it is turned to, and durations stay the same. */
export class TurnedClock {
  static readonly isInstalled = library !== undefined;
  private readonly file = join(temporaryFolder(), 'offset');
  private offsetMs = 0;

  constructor() {
    this.write();
  }

  /** The environment of a process that uses this clock. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  turnTo(atMs: number): void {
    this.offsetMs = atMs - Date.now();
    this.write();
  }

  turnBy(ms: number): void {
    this.offsetMs += ms;
    this.write();
  }

  /** Writes atomically, because a process may read the file at any moment. */
  private write(): void {
    const sign = this.offsetMs < 0 ? '-' : '+';
    writeFileSync(`${this.file}.new`, `${sign}${(Math.abs(this.offsetMs) / 1_000).toFixed(3)}\n`);
    renameSync(`${this.file}.new`, this.file);
  }
}
