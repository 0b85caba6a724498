interface Waiter {
  admit: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Hands out a bounded number of slots. Further callers wait, and are refused when the wait is too long. Free slots go to the
 * owners round-robin, so an owner with a thousand waiters delays each other owner by one slot. Waiters of one owner get slots in
 * order of arrival.
 */
export class ConcurrencyLimiter {
  private freeSlots: number;
  /** The waiters of each owner that has any, the oldest first. The first owner gets the next slot. */
  private readonly waitersOf = new Map<string, Waiter[]>();

  constructor(
    slots: number,
    private readonly maxWaitMs: number,
    private readonly refusal: () => Error,
  ) {
    this.freeSlots = slots;
  }

  /**
   * Takes a slot. Returns undefined if one is free; otherwise a promise that resolves when the caller has a slot, or rejects with
   * `refusal()` after `maxWaitMs`.
   */
  acquire(owner = ''): Promise<void> | undefined {
    if (this.freeSlots > 0) {
      this.freeSlots -= 1;
      return undefined;
    }
    return new Promise((admit, reject) => {
      const waiters = this.waitersOf.get(owner) ?? [];
      this.waitersOf.set(owner, waiters);
      const refuse = () => {
        // All wait equally long, so this is the oldest waiter of its owner.
        waiters.shift();
        if (waiters.length === 0) this.waitersOf.delete(owner);
        reject(this.refusal());
      };
      waiters.push({ admit, timer: setTimeout(refuse, this.maxWaitMs).unref() });
    });
  }

  /** Frees a slot. The oldest waiter of the first owner gets it, and that owner becomes the last. */
  release(): void {
    const [first] = this.waitersOf;
    if (!first) {
      this.freeSlots += 1;
      return;
    }
    const [owner, waiters] = first;
    const oldest = waiters.shift();
    clearTimeout(oldest?.timer);
    oldest?.admit();
    this.waitersOf.delete(owner);
    if (waiters.length > 0) this.waitersOf.set(owner, waiters);
  }
}
