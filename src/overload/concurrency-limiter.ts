interface Waiter {
  resolve: () => void;
  reject: (refusal: Error) => void;
  sinceMs: number;
}

/** Hands out a bounded number of slots. Further callers wait in order of arrival, and are refused when the wait is too long. */
export class ConcurrencyLimiter {
  private freeSlots: number;
  /** The oldest first. */
  private readonly waiting: Waiter[] = [];
  /** One timer for all: it fires when the oldest waiter has waited too long. */
  private timer: NodeJS.Timeout | undefined;

  constructor(
    slots: number,
    private readonly maxWaitMs: number,
    private readonly refusal: () => Error,
  ) {
    this.freeSlots = slots;
  }

  /** Takes a slot: undefined at once, or a promise that resolves with the slot or rejects with the refusal. */
  acquire(): Promise<void> | undefined {
    if (this.freeSlots > 0) {
      this.freeSlots -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, sinceMs: performance.now() });
      this.timer ??= setTimeout(() => this.refuseLate(), this.maxWaitMs).unref();
    });
  }

  /** Returns a slot; the caller that has waited longest gets it. */
  release(): void {
    const next = this.waiting.shift();
    if (next) next.resolve();
    else this.freeSlots += 1;
  }

  private refuseLate(): void {
    // A timer may fire a fraction of a millisecond early.
    const tooLongMs = performance.now() - this.maxWaitMs + 1;
    const stillWaiting = this.waiting.findIndex(({ sinceMs }) => sinceMs > tooLongMs);
    const tooLate = this.waiting.splice(0, stillWaiting === -1 ? this.waiting.length : stillWaiting);
    const [oldest] = this.waiting;
    this.timer = oldest && setTimeout(() => this.refuseLate(), oldest.sinceMs - tooLongMs).unref();
    for (const { reject } of tooLate) reject(this.refusal());
  }
}
