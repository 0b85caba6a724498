import type { Timer } from '../src/timer.js';

/** A timer that does not wait: it records each duration and runs the test's function instead. */
export class TurnedTimer implements Timer {
  readonly waitsMs: number[] = [];
  /** The deadline of each attempt. */
  readonly deadlines: AbortController[] = [];

  readonly #meanwhile: (durationMs: number) => unknown;

  constructor(meanwhile: (durationMs: number) => unknown = () => undefined) {
    this.#meanwhile = meanwhile;
  }

  nowMs(): number {
    return Date.UTC(2026, 10, 20);
  }

  random(): number {
    return 0.5;
  }

  timeout(): AbortSignal {
    const deadline = new AbortController();
    this.deadlines.push(deadline);
    return deadline.signal;
  }

  async wait(durationMs: number): Promise<void> {
    this.waitsMs.push(durationMs);
    await this.#meanwhile(durationMs);
  }
}
