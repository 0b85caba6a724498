import type { LRUCache } from 'lru-cache';
import { boundedMap } from './bounded-map.js';
import { Counters } from './counters.js';
import type { LoadDailyCount } from './daily-count.js';
import {
  type Ban,
  type Decided,
  type Decision,
  type Subject,
  type WindowState,
  windowsOf,
} from './decision.js';
import {
  LATER_WINDOW_MS,
  REFUSALS_PER_LIMIT,
  REFUSAL_WINDOW_MS,
  hasBanStarted,
  hasSeenDayBegin,
  nextBan,
  runningWindowStartMs,
} from './rules.js';
import { type Clock, DAY_MS, MINUTE_MS } from './time.js';

/** About 40 MB of keys, and as much of addresses. */
const MAX_SUBJECTS = 200_000;

export interface MemoryCountersOptions {
  clock: Pick<Clock, 'nowMs'>;
  loadDailyCount: LoadDailyCount;
  /**
   * Replaces shared counters while they are away. Requests then do not wait for initial counts, and the shared counters may have
   * counted requests of a day that began while this process ran.
   */
  isFallback?: boolean;
}

/**
 * What is held of one subject: one small object, because many are held. Windows have numbers, counted from the epoch,
 * because V8 holds small integers in the object itself.
 */
interface State {
  minute: number;
  minuteUsed: number;
  /** UNKNOWN until the day has its initial count. */
  day: number;
  dayUsed: number;
  /** Only keys that were refused or banned have them. */
  penalties: Penalties | null;
  /** Only where the clock has stepped back. */
  later: LaterWindows | null;
}

/** The counts of the latest windows that the clock has stepped back from. */
interface LaterWindows {
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
}

/** They count until the key comes with a later penaltiesResetAtMs. */
interface Penalties {
  resetAtMs: number;
  refusalWindow: number;
  refusals: number;
  ban: Ban | null;
}

const UNKNOWN = -1;

/**
 * The counters of one process. It takes the same decisions as decide.lua. A key that is dropped to make room starts again from
 * what usage has recorded, and from the ban on its row.
 */
export class MemoryCounters extends Counters {
  private readonly keys: LRUCache<string, State> = boundedMap<State>(MAX_SUBJECTS);
  private readonly addresses: LRUCache<string, State> = boundedMap<State>(MAX_SUBJECTS);

  constructor(private readonly options: MemoryCountersOptions) {
    super();
  }

  decide(subject: Subject, cost: 0 | 1 = 1): Decided {
    const state = this.stateOf(subject);
    if (subject.perDay === null || state.day !== UNKNOWN) return this.decideNow(subject, state, cost);
    return this.decideLoaded(subject, cost);
  }

  private async decideLoaded(subject: Subject, cost: 0 | 1): Promise<Decision> {
    let state = this.stateOf(subject);
    while (state.day === UNKNOWN) {
      await this.loadCount(subject);
      // Another day may have begun while the count was loaded.
      state = this.stateOf(subject);
    }
    return this.decideNow(subject, state, cost);
  }

  private decideNow(subject: Subject, state: State, cost: 0 | 1): Decision {
    const nowMs = this.options.clock.nowMs();
    const last = lastBan(subject, state, nowMs);
    const isBanned = last !== null && nowMs < last.untilMs;
    const hasRoom = state.minuteUsed < subject.perMinute && state.dayUsed < (subject.perDay ?? Infinity);
    let startedBan: Ban | null = null;
    if (!isBanned && hasRoom) {
      state.minuteUsed += cost;
      state.dayUsed += cost;
    } else if (!isBanned && cost > 0) startedBan = punish(subject, state, last, nowMs);
    const ban = isBanned ? last : startedBan;
    return {
      outcome: ban ? 'banned' : hasRoom ? 'admitted' : 'refused',
      source: 'memory',
      nowMs,
      windows: windowsOf(
        subject,
        state.minute * MINUTE_MS,
        state.minuteUsed,
        state.day * DAY_MS,
        state.dayUsed,
      ),
      bannedUntilMs: ban?.untilMs ?? null,
      startedBan,
    };
  }

  /** Takes over counts of other counters where they are higher. */
  adopt(subject: Subject, windows: readonly WindowState[]): void {
    const state = this.stateOf(subject);
    for (const { name, used, resetAtMs } of windows) {
      if (name === 'day') raiseDay(state, resetAtMs / DAY_MS - 1, used);
      else if (state.minute === resetAtMs / MINUTE_MS - 1) {
        state.minuteUsed = Math.max(state.minuteUsed, used);
      }
    }
  }

  /** What is held of the subject, in the windows that run now. */
  private stateOf({ id, perDay, penaltiesResetAtMs = 0 }: Subject): State {
    const nowMs = this.options.clock.nowMs();
    const states = perDay === null ? this.addresses : this.keys;
    let state = states.get(id);
    if (!state) {
      state = { minute: UNKNOWN, minuteUsed: 0, day: UNKNOWN, dayUsed: 0, penalties: null, later: null };
      states.set(id, state);
    }
    const minute = runningWindow(state.minute, MINUTE_MS, nowMs);
    const day = runningWindow(state.day, DAY_MS, nowMs);
    if (minute < state.minute || day < state.day) keepLater(state, minute, day, nowMs);
    const { later } = state;
    if (minute !== state.minute) {
      state.minute = minute;
      state.minuteUsed = later?.minute === minute ? later.minuteUsed : 0;
    }
    if (day !== state.day) {
      const isKept = later?.day === day;
      state.dayUsed = isKept ? later.dayUsed : 0;
      state.day = isKept || this.hasSeenBegin(day, state, nowMs) ? day : UNKNOWN;
    }
    // The mark only grows. It is never compared with a clock, so that an unban works although clocks differ.
    if (state.penalties && state.penalties.resetAtMs < penaltiesResetAtMs) state.penalties = null;
    return state;
  }

  /** Shared counters may have counted requests of a day that began while they were used. */
  private hasSeenBegin(day: number, { day: stored, later }: State, nowMs: number): boolean {
    if (this.options.isFallback) return false;
    return hasSeenDayBegin(day * DAY_MS, stored * DAY_MS, (later?.day ?? UNKNOWN) * DAY_MS, nowMs);
  }

  private async loadCount(subject: Subject): Promise<void> {
    const day = runningWindow(UNKNOWN, DAY_MS, this.options.clock.nowMs());
    const loading = this.options
      .loadDailyCount(subject.id, day * DAY_MS)
      .then((count) => raiseDay(this.stateOf(subject), day, count));
    if (this.options.isFallback) raiseDay(this.stateOf(subject), day, 0);
    else await loading;
  }
}

/** Keeps the counts of windows that are later than the given ones, which run after the clock has stepped back. */
function keepLater(state: State, minute: number, day: number, nowMs: number): void {
  const later = (state.later ??= { minute: UNKNOWN, minuteUsed: 0, day: UNKNOWN, dayUsed: 0 });
  const isNear = (window: number, windowMs: number) => window * windowMs <= nowMs + LATER_WINDOW_MS;
  if (minute < state.minute && state.minute >= later.minute && isNear(state.minute, MINUTE_MS)) {
    later.minute = state.minute;
    later.minuteUsed = state.minuteUsed;
  }
  if (day < state.day && state.day >= later.day && isNear(state.day, DAY_MS)) {
    later.day = state.day;
    later.dayUsed = state.dayUsed;
  }
}

/** Takes the higher count: the recorded one may include what was counted here. */
function raiseDay(state: State, day: number, count: number): void {
  if (state.day === UNKNOWN) state.day = day;
  if (state.day === day) state.dayUsed = Math.max(state.dayUsed, count);
}

/** The ban that matters for the next decision: of the held one and the row's, the one that ends later. */
function lastBan(subject: Subject, { penalties }: State, nowMs: number): Ban | null {
  const held = penalties?.ban && hasBanStarted(penalties.ban, nowMs) ? penalties.ban : null;
  const { ban: row, penaltiesResetAtMs = 0 } = subject;
  if (!row || row.untilMs - row.durationMs < penaltiesResetAtMs || !hasBanStarted(row, nowMs)) {
    return held;
  }
  return held && held.untilMs >= row.untilMs ? held : row;
}

/** Counts a refusal. The one above the threshold starts a ban; an address is never banned. */
function punish(subject: Subject, state: State, last: Ban | null, nowMs: number): Ban | null {
  if (subject.perDay === null) return null;
  const { penaltiesResetAtMs: resetAtMs = 0, perMinute } = subject;
  const penalties = (state.penalties ??= { resetAtMs, refusalWindow: UNKNOWN, refusals: 0, ban: null });
  const refusalWindow = runningWindow(penalties.refusalWindow, REFUSAL_WINDOW_MS, nowMs);
  if (refusalWindow !== penalties.refusalWindow) penalties.refusals = 0;
  penalties.refusalWindow = refusalWindow;
  penalties.refusals += 1;
  if (penalties.refusals <= perMinute * REFUSALS_PER_LIMIT) return null;
  penalties.refusalWindow = UNKNOWN;
  penalties.ban = nextBan(last, nowMs);
  return penalties.ban;
}

/** The number of the window that counts at `nowMs`: the stored one while it runs. */
function runningWindow(stored: number, windowMs: number, nowMs: number): number {
  // `| 0`: a number without a fraction is still a double to V8.
  return (runningWindowStartMs(stored * windowMs, windowMs, nowMs) / windowMs) | 0;
}
