interface Waiter {
  resolve: () => void;
  reject: (refusal: Error) => void;
  sinceMs: number;
}

/** The waiters of one owner, the oldest first. A queue without waiters is removed. */
interface Queue {
  owner: string;
  waiters: Waiter[];
}

/**
 * Hands out a bounded number of slots. Further callers wait, and are refused when the wait is too long. Free slots go to the
 * owners round-robin, so an owner with a thousand waiters delays each other owner by one slot. Waiters of one owner get slots in
 * order of arrival.
 */
export class ConcurrencyLimiter {
  private freeSlots: number;
  private readonly queueOfOwner = new Map<string, Queue>();
  /** All queues. The first one gets the next slot. */
  private queues: Queue[] = [];
  /** One timer for all: it fires when the oldest waiter has waited too long. */
  private timer: NodeJS.Timeout | undefined;

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
    return new Promise((resolve, reject) => {
      this.queueOf(owner).waiters.push({ resolve, reject, sinceMs: performance.now() });
      this.timer ??= setTimeout(() => this.refuseLate(), this.maxWaitMs).unref();
    });
  }

  /** Frees a slot. The oldest waiter of the first queue gets it, and that queue becomes the last. */
  release(): void {
    const queue = this.queues.shift();
    if (!queue) {
      this.freeSlots += 1;
      return;
    }
    queue.waiters.shift()?.resolve();
    if (queue.waiters.length > 0) this.queues.push(queue);
    else this.queueOfOwner.delete(queue.owner);
  }

  private queueOf(owner: string): Queue {
    let queue = this.queueOfOwner.get(owner);
    if (!queue) {
      queue = { owner, waiters: [] };
      this.queueOfOwner.set(owner, queue);
      this.queues.push(queue);
    }
    return queue;
  }

  private refuseLate(): void {
    // A timer may fire a fraction of a millisecond early.
    const lateSinceMs = performance.now() - this.maxWaitMs + 1;
    const tooLate: Waiter[] = [];
    let oldestMs = Infinity;
    for (const queue of this.queues) {
      const inTime = queue.waiters.filter(({ sinceMs }) => sinceMs > lateSinceMs);
      tooLate.push(...queue.waiters.slice(0, queue.waiters.length - inTime.length));
      oldestMs = Math.min(oldestMs, inTime[0]?.sinceMs ?? Infinity);
      queue.waiters = inTime;
      if (inTime.length === 0) this.queueOfOwner.delete(queue.owner);
    }
    this.queues = this.queues.filter(({ waiters }) => waiters.length > 0);
    const nextMs = oldestMs - lateSinceMs;
    this.timer = nextMs < Infinity ? setTimeout(() => this.refuseLate(), nextMs).unref() : undefined;
    for (const { reject } of tooLate) reject(this.refusal());
  }
}
