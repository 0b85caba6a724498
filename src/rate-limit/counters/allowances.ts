import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../platform/common/size-limits.js';
import type { Decided, Decision, Subject } from '../decision.js';
import { Allowance } from './allowance.js';
import { ALLOWANCE_MS, type Ask, Counters, type SharedCounters, type SharedReply } from './counters.js';

/** Requests of one caller on this replica in two slots, the running one and the one before, that make it ask for an allowance. */
const HOT_REQUESTS = 4;
/** A replica returns what is left this long after the end, so that the caller's next request can carry it. */
const RETURN_AFTER_MS = 20;
/** What is left of allowances has come back this long after their end. */
const MARGIN_MS = 50;
const LONGEST_WAIT_MS = 500;
const MAX_CALLERS = 50_000;

/** Time as allowances need it, so that a test can turn it. */
export interface Timing {
  monotonicMs(): number;
  pause(ms: number): Promise<unknown>;
}

const REAL_TIME: Timing = {
  monotonicMs: () => performance.now(),
  // The timer does not keep the process running.
  pause: (ms) => pause(ms, undefined, { ref: false }),
};

/** What this replica knows of one caller. */
interface Caller {
  /** The number of the running slot of ALLOWANCE_MS. */
  slot: number;
  requests: number;
  requestsBefore: number;
  /** The call under way that asks for an allowance. */
  asking: Promise<SharedReply> | null;
  /** The last such call got one, so the next is worth waiting for. */
  wasGranted: boolean;
  allowance: Allowance | null;
}

const PEEK: Ask = { cost: 0, want: 0, returned: null, mayWait: false };

/**
 * Shared counters, with allowances for callers that are busy on this replica: requests that the shared counters have counted
 * ahead, and that are admitted here without a call. Rejects when the shared counters do.
 */
export class CountersWithAllowances extends Counters {
  private readonly callers = new LRUCache<string, Caller>(atMost(MAX_CALLERS));

  constructor(
    private readonly shared: SharedCounters,
    private readonly time: Timing = REAL_TIME,
  ) {
    super();
  }

  decide(subject: Subject, cost: 0 | 1 = 1): Decided {
    const caller = this.callerOf(subject.id);
    if (cost === 0) return this.shared.decide(subject, PEEK).then((reply) => decisionOf(caller, reply));
    this.noteRequest(caller);
    return this.admit(caller, subject) ?? this.decideShared(caller, subject);
  }

  private async decideShared(caller: Caller, subject: Subject): Promise<Decision> {
    let waitedMs = 0;
    for (;;) {
      if (caller.asking && caller.wasGranted) await caller.asking;
      const admitted = this.admit(caller, subject);
      if (admitted) return admitted;
      const mayWait = waitedMs < LONGEST_WAIT_MS;
      const reply = await this.ask(caller, subject, mayWait);
      if (reply.outcome !== 'wait' || !mayWait) return decisionOf(caller, reply);
      const waitMs = Math.min(reply.allowancesUntilMs - reply.nowMs + MARGIN_MS, LONGEST_WAIT_MS - waitedMs);
      waitedMs += waitMs;
      await this.time.pause(waitMs);
    }
  }

  /** Returns everything that is left. */
  override async close(): Promise<void> {
    const allowances = [...this.callers.values()].flatMap(({ allowance }) => allowance ?? []);
    await Promise.all(allowances.map((allowance) => this.giveBack(allowance)));
  }

  private callerOf(id: string): Caller {
    let caller = this.callers.get(id);
    if (!caller) {
      caller = { slot: 0, requests: 0, requestsBefore: 0, asking: null, wasGranted: false, allowance: null };
      this.callers.set(id, caller);
    }
    return caller;
  }

  private noteRequest(caller: Caller): void {
    const slot = Math.floor(this.time.monotonicMs() / ALLOWANCE_MS);
    if (slot !== caller.slot) {
      caller.requestsBefore = slot === caller.slot + 1 ? caller.requests : 0;
      caller.slot = slot;
      caller.requests = 0;
    }
    caller.requests += 1;
  }

  private admit({ allowance }: Caller, subject: Subject): Decision | null {
    return allowance?.admit(subject, this.time.monotonicMs()) ?? null;
  }

  private async ask(caller: Caller, subject: Subject, mayWait: boolean): Promise<SharedReply> {
    const { allowance } = caller;
    const returned = allowance?.takeBack() ?? null;
    caller.allowance = null;
    const { requests, requestsBefore } = caller;
    const demand = Math.max(requests, requestsBefore);
    if (caller.asking || requests + requestsBefore < HOT_REQUESTS)
      return this.shared.decide(subject, { cost: 1, want: 0, returned, mayWait });
    const sentAtMs = this.time.monotonicMs();
    try {
      caller.asking = this.shared.decide(subject, { cost: 1, want: demand, returned, mayWait });
      const reply = await caller.asking;
      caller.wasGranted = reply.granted > 0;
      if (reply.granted > 0) this.hold(caller, subject, reply, sentAtMs);
      return reply;
    } finally {
      caller.asking = null;
    }
  }

  private hold(caller: Caller, subject: Subject, reply: SharedReply, sentAtMs: number): void {
    const allowance = new Allowance(subject, reply, sentAtMs);
    caller.allowance = allowance;
    const endsInMs = allowance.untilMs - this.time.monotonicMs();
    void this.time.pause(Math.max(0, endsInMs) + RETURN_AFTER_MS).then(() => {
      if (caller.allowance === allowance) caller.allowance = null;
      return this.giveBack(allowance);
    });
  }

  private async giveBack(allowance: Allowance): Promise<void> {
    const returned = allowance.takeBack();
    if (returned) await this.shared.decide(allowance.subject, { ...PEEK, returned }).catch(() => undefined);
  }
}

/** What the shared counters decided. Requests that this replica holds unused count as left. */
function decisionOf({ allowance }: Caller, reply: SharedReply): Decision {
  const { outcome, nowMs, windows, bannedUntilMs, startedBan } = reply;
  return {
    outcome: outcome === 'wait' ? 'refused' : outcome,
    source: 'redis',
    nowMs,
    windows: allowance && outcome === 'admitted' ? allowance.see(windows) : windows,
    bannedUntilMs,
    startedBan,
  };
}
