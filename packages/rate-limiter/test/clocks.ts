import type { Timing } from '../src/redis/allowances.js';
import { HOUR_MS } from '../src/time.js';

/** 10:00 UTC: the start of a minute and of ten minutes. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

export class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

/** Timing for a clock that a test turns: each turn ends what a process may decide without a call. */
export function timingOf(clock: { nowMs(): number }): Timing {
  let seenMs = clock.nowMs();
  let turns = 0;
  return {
    monotonicMs: () => {
      if (clock.nowMs() !== seenMs) turns += 1;
      seenMs = clock.nowMs();
      return turns * HOUR_MS;
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
  };
}

/** Runs timers in the order of their time, as fast as it can. Promises settle between them. */
export class VirtualTime implements Timing {
  private readonly timers: { atMs: number; work: () => unknown }[] = [];

  constructor(public ms = START_MS) {}

  nowMs(): number {
    return Math.floor(this.ms);
  }

  monotonicMs(): number {
    return this.ms;
  }

  after(ms: number, work: () => unknown): void {
    const atMs = this.ms + ms;
    let index = this.timers.length;
    while (index > 0 && (this.timers[index - 1]?.atMs ?? 0) > atMs) index -= 1;
    this.timers.splice(index, 0, { atMs, work });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs every timer until `ms` have passed; by default until none is left. */
  async run(ms = Infinity): Promise<void> {
    const endMs = this.ms + ms;
    for (let next = this.timers[0]; next && next.atMs <= endMs; next = this.timers[0]) {
      this.timers.shift();
      this.ms = next.atMs;
      await next.work();
      await settled();
    }
    if (ms !== Infinity) this.ms = endMs;
  }
}

/** Resolves when all promises have settled that wait for nothing outside. */
export const settled = () => new Promise(setImmediate);
