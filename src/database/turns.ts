interface Waiter {
  resolve: () => void;
  reject: (refusal: Error) => void;
  sinceMs: number;
}

/** Lets a few in at a time. The others wait in the order they came, and are turned away when it takes too long. */
export class Turns {
  private free: number;
  /** The oldest first. */
  private readonly waiting: Waiter[] = [];
  /** One for all: it goes off when the oldest has waited too long, or had until it was let in. */
  private timer: NodeJS.Timeout | undefined;

  constructor(
    atATime: number,
    private readonly waitAtMostMs: number,
    private readonly refusal: () => Error,
  ) {
    this.free = atATime;
  }

  /** Resolves when it is the caller's turn, which then ends with `end`; rejects with the refusal. */
  take(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, sinceMs: performance.now() });
      this.timer ??= setTimeout(() => this.turnAway(), this.waitAtMostMs).unref();
    });
  }

  /** Ends one turn; whoever has waited longest is next. */
  end(): void {
    const next = this.waiting.shift();
    if (next) next.resolve();
    else this.free += 1;
  }

  private turnAway(): void {
    // A timer may go off a fraction of a millisecond early.
    const tooLongMs = performance.now() - this.waitAtMostMs + 1;
    const stillWaiting = this.waiting.findIndex(({ sinceMs }) => sinceMs > tooLongMs);
    const tooLate = this.waiting.splice(0, stillWaiting === -1 ? this.waiting.length : stillWaiting);
    const [oldest] = this.waiting;
    this.timer = oldest && setTimeout(() => this.turnAway(), oldest.sinceMs - tooLongMs).unref();
    for (const { reject } of tooLate) reject(this.refusal());
  }
}
