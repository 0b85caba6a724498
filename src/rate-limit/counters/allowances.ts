import { setTimeout as pause } from 'node:timers/promises';
import { RecentMap } from '../../platform/common/recent-map.js';
import { DAY_MS, MINUTE_MS } from '../../platform/common/time.js';
import { type Decision, type Subject, type WindowState, windowOf } from '../decision.js';
import {
  ALLOWANCE_MS,
  type Ask,
  Counters,
  type Returned,
  type SharedCounters,
  type SharedReply,
} from './counters.js';

/** Requests of one caller on this replica within ALLOWANCE_MS that make it ask for an allowance. */
const HOT_REQUESTS = 4;
/** A replica returns what is left this long after the end, so that the caller's next request can carry it. */
const RETURN_AFTER_MS = 20;
/** What is left of allowances has come back this long after their end. */
const MARGIN_MS = 50;
const MAX_WAITS = 3;
const LONGEST_WAIT_MS = 500;
const MAX_CALLERS = 50_000;
const MAX_ALLOWANCES = 10_000;

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

interface Allowance {
  left: number;
  /** The end on the monotonic clock, reckoned from before the call. */
  untilMs: number;
  /** What has to be added to the monotonic clock for a time that is never before Redis's. */
  clockOffsetMs: number;
  /** With all that was granted. */
  windows: WindowState[];
  /** The key as it was when it was granted. */
  subject: Subject;
}

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
  private readonly callers = new RecentMap<string, Caller>(MAX_CALLERS);
  private readonly held = new Set<Allowance>();
  /** Calls under way that ask for an allowance. */
  private asking = 0;

  constructor(
    private readonly shared: SharedCounters,
    private readonly time: Timing = REAL_TIME,
  ) {
    super();
  }

  /** How many allowances this replica holds. */
  get size(): number {
    return this.held.size;
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    const caller = this.callerOf(subject.id);
    if (cost === 0) return decisionOf(caller, await this.shared.decide(subject, PEEK));
    this.noteRequest(caller);
    let waitedMs = 0;
    for (let waits = 0; ; waits += 1) {
      let admitted = this.admit(caller, subject);
      if (!admitted && caller.asking && caller.wasGranted) {
        await caller.asking;
        admitted = this.admit(caller, subject);
      }
      if (admitted) return admitted;
      const mayWait = waits < MAX_WAITS && waitedMs < LONGEST_WAIT_MS;
      const reply = await this.ask(caller, subject, mayWait);
      if (reply.outcome !== 'wait' || !mayWait) return decisionOf(caller, reply);
      const waitMs = Math.min(reply.allowancesUntilMs - reply.nowMs + MARGIN_MS, LONGEST_WAIT_MS - waitedMs);
      waitedMs += waitMs;
      await this.time.pause(waitMs);
    }
  }

  /** Returns everything that is left. */
  override async close(): Promise<void> {
    await Promise.all([...this.held].map((allowance) => this.giveBack(allowance)));
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
    const nowMs = this.time.monotonicMs();
    if (!allowance || !isUsable(allowance, subject, nowMs)) return null;
    allowance.left -= 1;
    return {
      outcome: 'admitted',
      source: 'allowance',
      nowMs: Math.floor(nowMs + allowance.clockOffsetMs),
      windows: withUnused(allowance.windows, allowance.left),
      bannedUntilMs: null,
      startedBan: null,
    };
  }

  private async ask(caller: Caller, subject: Subject, mayWait: boolean): Promise<SharedReply> {
    const { allowance } = caller;
    const returned = allowance ? this.takeBack(allowance) : null;
    caller.allowance = null;
    const demand = Math.max(caller.requests, caller.requestsBefore);
    const hasRoom = this.held.size + this.asking < MAX_ALLOWANCES;
    const mayAsk = !caller.asking && demand >= HOT_REQUESTS && hasRoom;
    if (!mayAsk) return this.shared.decide(subject, { cost: 1, want: 0, returned, mayWait });
    this.asking += 1;
    const sentAtMs = this.time.monotonicMs();
    try {
      caller.asking = this.shared.decide(subject, { cost: 1, want: demand, returned, mayWait });
      const reply = await caller.asking;
      caller.wasGranted = reply.granted > 0;
      if (reply.granted > 0) this.hold(caller, subject, reply, sentAtMs);
      return reply;
    } finally {
      caller.asking = null;
      this.asking -= 1;
    }
  }

  private hold(caller: Caller, subject: Subject, reply: SharedReply, sentAtMs: number): void {
    const minuteEndsInMs = (reply.windows[0]?.resetAtMs ?? 0) - reply.nowMs;
    const allowance: Allowance = {
      left: reply.granted,
      untilMs: sentAtMs + Math.min(ALLOWANCE_MS, minuteEndsInMs),
      clockOffsetMs: reply.nowMs - sentAtMs,
      windows: reply.windows,
      subject,
    };
    this.held.add(allowance);
    caller.allowance = allowance;
    const endsInMs = allowance.untilMs - this.time.monotonicMs();
    void this.time.pause(Math.max(0, endsInMs) + RETURN_AFTER_MS).then(() => {
      if (caller.allowance === allowance) caller.allowance = null;
      return this.giveBack(allowance);
    });
  }

  /** What is left, for a call that returns it. It is not returned again, because a call that failed may have arrived. */
  private takeBack(allowance: Allowance): Returned | null {
    this.held.delete(allowance);
    const { left: count, windows } = allowance;
    allowance.left = 0;
    if (count === 0) return null;
    const [minute, day] = windows;
    return {
      minuteStartMs: (minute?.resetAtMs ?? 0) - MINUTE_MS,
      dayStartMs: day ? day.resetAtMs - DAY_MS : 0,
      count,
    };
  }

  private async giveBack(allowance: Allowance): Promise<void> {
    const returned = this.takeBack(allowance);
    if (returned) await this.shared.decide(allowance.subject, { ...PEEK, returned }).catch(() => undefined);
  }
}

function isUsable({ left, untilMs, subject: granted }: Allowance, subject: Subject, nowMs: number): boolean {
  return (
    left > 0 &&
    nowMs < untilMs &&
    granted.perMinute === subject.perMinute &&
    granted.perDay === subject.perDay &&
    granted.penaltiesResetAtMs === subject.penaltiesResetAtMs &&
    granted.ban?.untilMs === subject.ban?.untilMs
  );
}

/** What the shared counters decided. Requests that this replica holds unused count as left. */
function decisionOf({ allowance }: Caller, reply: SharedReply): Decision {
  const { outcome, nowMs, windows, bannedUntilMs, startedBan } = reply;
  return {
    outcome: outcome === 'wait' ? 'refused' : outcome,
    source: 'redis',
    nowMs,
    windows:
      allowance && outcome === 'admitted' ? withUnused(windows, allowance.left, allowance.windows) : windows,
    bannedUntilMs,
    startedBan,
  };
}

/** The windows without `unused` requests, which those in `counted` count. */
function withUnused(windows: WindowState[], unused: number, counted = windows): WindowState[] {
  return windows.map((window, index) => {
    const isCounted = counted[index]?.resetAtMs === window.resetAtMs;
    const used = isCounted ? Math.max(0, window.used - unused) : window.used;
    return windowOf(window.name, window.limit, used, window.resetAtMs);
  });
}
