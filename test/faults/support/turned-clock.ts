import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

/** libfaketime stands between a process and the system's clock; undefined where it is not installed. */
const library = !existsSync(LIBRARIES)
  ? undefined
  : readdirSync(LIBRARIES)
      .map((folder) => join(LIBRARIES, folder, 'faketime/libfaketimeMT.so.1'))
      .find((path) => existsSync(path));

/** A clock that processes of a test's own go by. It runs on from wherever it is turned to; how long something takes is as ever. */
export class TurnedClock {
  static readonly isInstalled = library !== undefined;
  private readonly home = mkdtempSync(join(tmpdir(), 'animal-store-clock-'));
  private offsetMs = 0;

  constructor() {
    this.write();
  }

  /** What a process needs to go by this clock. */
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

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  private get file(): string {
    return join(this.home, 'offset');
  }

  /** Whole or not at all, for a process may be reading it. */
  private write(): void {
    const sign = this.offsetMs < 0 ? '-' : '+';
    writeFileSync(`${this.file}.new`, `${sign}${(Math.abs(this.offsetMs) / 1_000).toFixed(3)}\n`);
    renameSync(`${this.file}.new`, this.file);
  }
}
