import { setTimeout as pause } from 'node:timers/promises';
import { type Decision, type Subject, type Windows, type WindowState, RULES, windowOf } from '../decision.js';
import {
  type Ask,
  Callers,
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
/** What a replica holds has gone back this long after its last request. */
export const HELD_MS = RULES.ALLOWANCE_MS + MARGIN_MS;
const LONGEST_WAIT_MS = 500;
const MAX_CALLERS = 50_000;

/** A test turns it. */
const REAL_TIME = {
  monotonicMs: () => performance.now(),
  // The timer does not keep the process running.
  pause: (ms: number): Promise<unknown> => pause(ms, undefined, { ref: false }),
};

/** Requests of one caller that the shared counters have counted ahead. */
class Allowance {
  left: number;
  /** The end on the monotonic clock, reckoned from before the call. */
  readonly untilMs: number;
  /** With all that was granted. */
  readonly windows: Windows;
  /** What has to be added to the monotonic clock for a time that is never before Redis's. */
  private readonly clockOffsetMs: number;

  /** `subject`: the key as it is when it is granted; `sentAtMs`: on the monotonic clock. */
  constructor(
    private readonly subject: Subject,
    { granted, nowMs, windows }: SharedReply,
    sentAtMs: number,
  ) {
    const minuteEndsInMs = windows[0].resetAtMs - nowMs;
    this.left = granted;
    this.untilMs = sentAtMs + Math.min(RULES.ALLOWANCE_MS, minuteEndsInMs);
    this.windows = windows;
    this.clockOffsetMs = nowMs - sentAtMs;
  }

  /** Admits a request of the caller; null when nothing is left, the time is over or the key has changed. */
  admit(subject: Subject, nowMs: number): Decision | null {
    if (this.left === 0 || nowMs >= this.untilMs || !isSame(subject, this.subject)) return null;
    this.left -= 1;
    return {
      outcome: 'admitted',
      source: 'allowance',
      nowMs: Math.floor(nowMs + this.clockOffsetMs),
      windows: withUnused(this.windows, this.left),
      bannedUntilMs: null,
      startedBan: null,
    };
  }

  /** What is left, for a call that returns it. It is not returned again, because a call that failed may have arrived. */
  takeBack(): Returned | null {
    const count = this.left;
    if (count === 0) return null;
    this.left = 0;
    return { count, windows: this.windows };
  }
}

/** What this replica knows of one caller. */
class Caller {
  /** The number of the running slot of ALLOWANCE_MS. */
  slot = 0;
  requests = 0;
  requestsBefore = 0;
  /** The call under way that asks for an allowance. */
  asking: Promise<SharedReply> | null = null;
  /** The last such call got one, so the next is worth waiting for. */
  wasGranted = false;
  allowance: Allowance | null = null;
}

const PEEK: Ask = { cost: 0, want: 0, returned: null, mayWait: false };

/**
 * Shared counters, with allowances for callers that are busy on this replica: requests that the shared counters have counted
 * ahead, and that are admitted here without a call. Rejects when the shared counters do.
 */
export class CountersWithAllowances extends Counters {
  private readonly callers = new Callers(MAX_CALLERS, () => new Caller());

  constructor(
    private readonly shared: SharedCounters,
    private readonly time = REAL_TIME,
  ) {
    super();
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    const caller = this.callers.of(subject.id);
    if (cost === 0) return decisionOf(caller, await this.shared.decide(subject, PEEK));
    this.noteRequest(caller);
    let waitedMs = 0;
    for (;;) {
      let admitted = this.admit(caller, subject);
      if (!admitted && caller.asking && caller.wasGranted) {
        await caller.asking;
        admitted = this.admit(caller, subject);
      }
      if (admitted) return admitted;
      const mayWait = waitedMs < LONGEST_WAIT_MS;
      const reply = await this.ask(caller, subject, mayWait);
      if (reply.outcome !== 'wait' || !mayWait) return decisionOf(caller, reply);
      const waitMs = Math.min(reply.allowancesUntilMs - reply.nowMs + MARGIN_MS, LONGEST_WAIT_MS - waitedMs);
      waitedMs += waitMs;
      await this.time.pause(waitMs);
    }
  }

  private noteRequest(caller: Caller): void {
    const slot = Math.floor(this.time.monotonicMs() / RULES.ALLOWANCE_MS);
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
    const demand = Math.max(caller.requests, caller.requestsBefore);
    if (caller.asking || demand < HOT_REQUESTS)
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
      const returned = allowance.takeBack();
      return returned && this.shared.decide(subject, { ...PEEK, returned }).catch(() => undefined);
    });
  }
}

/** What the shared counters decided. Requests that this replica holds unused count as left. */
function decisionOf({ allowance }: Caller, reply: SharedReply): Decision {
  const { outcome, nowMs, windows, bannedUntilMs, startedBan } = reply;
  const isSameMinute = allowance?.windows[0].resetAtMs === windows[0].resetAtMs;
  return {
    outcome: outcome === 'wait' ? 'refused' : outcome,
    source: 'redis',
    nowMs,
    windows: isSameMinute && outcome === 'admitted' ? withUnused(windows, allowance.left) : windows,
    bannedUntilMs,
    startedBan,
  };
}

function isSame(now: Subject, granted: Subject): boolean {
  return (
    now.perMinute === granted.perMinute &&
    now.perDay === granted.perDay &&
    now.penaltiesResetAtMs === granted.penaltiesResetAtMs &&
    now.ban?.untilMs === granted.ban?.untilMs
  );
}

/** The windows without `unused` of the requests that they count. */
function withUnused([minute, day]: Windows, unused: number): Windows {
  return day ? [windowWithout(minute, unused), windowWithout(day, unused)] : [windowWithout(minute, unused)];
}

function windowWithout({ name, limit, used, resetAtMs }: WindowState, unused: number): WindowState {
  return windowOf(name, limit, Math.max(0, used - unused), resetAtMs);
}
