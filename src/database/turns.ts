interface Waiter {
  resolve: () => void;
  timer: NodeJS.Timeout;
}

/** Lets a few in at a time. The others wait in the order they came, and are turned away when it takes too long. */
export class Turns {
  private free: number;
  private readonly waiting = new Set<Waiter>();

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
      const timer = setTimeout(() => {
        this.waiting.delete(waiter);
        reject(this.refusal());
      }, this.waitAtMostMs);
      const waiter: Waiter = { resolve, timer };
      this.waiting.add(waiter);
    });
  }

  /** Ends one turn; whoever has waited longest is next. */
  end(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    clearTimeout(next.timer);
    next.resolve();
  }
}
