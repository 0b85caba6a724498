import type { KeyBan } from '../../auth/keys/api-key.js';
import { DAY_MS, MINUTE_MS, windowStartMs } from '../../platform/common/time.js';
import {
  type Decision,
  type Subject,
  type Windows,
  RULES,
  hasBanStarted,
  nextBan,
  runningWindowStartMs,
  windowsOf,
} from '../decision.js';
import { Callers, Counters, type LoadDailyCount } from './counters.js';

/** About 50 MB of keys, and as much of addresses. */
const MAX_SUBJECTS = 200_000;
/** The start of a window that has not been counted yet. */
const UNKNOWN = -Infinity;

/** What is held of one subject: one small object, because many are held. */
class State {
  minuteStartMs = UNKNOWN;
  minuteUsed = 0;
  /** UNKNOWN until the day has its initial count. */
  dayStartMs = UNKNOWN;
  dayUsed = 0;
  refusalsStartMs = UNKNOWN;
  refusals = 0;
  ban: KeyBan | null = null;
  /** Refusals and the ban count until the key comes with a later mark. */
  penaltiesResetAtMs = 0;
}

/**
 * The counters of one process. It takes the same decisions as decide.lua. A key that is dropped to make room starts again from
 * what usage has recorded, and from the ban on its row.
 */
export class MemoryCounters extends Counters {
  private readonly keys = new Callers(MAX_SUBJECTS, () => new State());
  /** Apart, so that strangers cannot crowd out keys. */
  private readonly addresses = new Callers(MAX_SUBJECTS, () => new State());

  /**
   * `isFallback`: it replaces shared counters while they are away. Requests then do not wait for initial counts, and the shared
   * counters may have counted requests of a day that began while this process ran.
   */
  constructor(
    private readonly clock: { nowMs(): number },
    private readonly loadDailyCount: LoadDailyCount,
    private readonly isFallback = false,
  ) {
    super();
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    let state = this.stateOf(subject);
    if (subject.perDay !== null && state.dayStartMs === UNKNOWN) state = await this.loadCount(subject);
    const nowMs = this.clock.nowMs();
    const last = lastBan(subject, state, nowMs);
    const isBanned = last !== null && nowMs < last.untilMs;
    const hasRoom = state.minuteUsed < subject.perMinute && state.dayUsed < (subject.perDay ?? Infinity);
    let startedBan: KeyBan | null = null;
    if (!isBanned && hasRoom) {
      state.minuteUsed += cost;
      state.dayUsed += cost;
    } else if (!isBanned && cost > 0) startedBan = punish(subject, state, last, nowMs);
    const ban = isBanned ? last : startedBan;
    return {
      outcome: ban ? 'banned' : hasRoom ? 'admitted' : 'refused',
      source: 'memory',
      nowMs,
      windows: windowsOf(subject, state.minuteStartMs, state.minuteUsed, state.dayStartMs, state.dayUsed),
      bannedUntilMs: ban?.untilMs ?? null,
      startedBan,
    };
  }

  /** Takes over counts of other counters where they are higher. */
  adopt(subject: Subject, [minute, day]: Windows): void {
    const state = this.stateOf(subject);
    if (state.minuteStartMs === minute.resetAtMs - MINUTE_MS)
      state.minuteUsed = Math.max(state.minuteUsed, minute.used);
    if (day) raiseDay(state, day.resetAtMs - DAY_MS, day.used);
  }

  /** What is held of the subject, in the windows that run now. */
  private stateOf({ id, perDay, penaltiesResetAtMs }: Subject): State {
    const nowMs = this.clock.nowMs();
    const state = (perDay === null ? this.addresses : this.keys).of(id);
    const minuteStartMs = runningWindowStartMs(state.minuteStartMs, MINUTE_MS, nowMs);
    if (minuteStartMs !== state.minuteStartMs) {
      state.minuteStartMs = minuteStartMs;
      state.minuteUsed = 0;
    }
    const dayStartMs = runningWindowStartMs(state.dayStartMs, DAY_MS, nowMs);
    if (dayStartMs !== state.dayStartMs) {
      // Requests of a day that began after the held one were counted here or by the shared counters.
      const startsAtZero = state.dayStartMs !== UNKNOWN && state.dayStartMs < dayStartMs && !this.isFallback;
      state.dayStartMs = startsAtZero ? dayStartMs : UNKNOWN;
      state.dayUsed = 0;
    }
    // The mark only grows. It is never compared with a clock, so that an unban works although clocks differ.
    if (state.penaltiesResetAtMs < penaltiesResetAtMs) {
      state.penaltiesResetAtMs = penaltiesResetAtMs;
      state.refusals = 0;
      state.ban = null;
    }
    return state;
  }

  private async loadCount(subject: Subject): Promise<State> {
    const dayStartMs = windowStartMs(DAY_MS, this.clock.nowMs());
    const loading = this.loadDailyCount(subject.id, dayStartMs).then((count) =>
      raiseDay(this.stateOf(subject), dayStartMs, count),
    );
    if (this.isFallback) raiseDay(this.stateOf(subject), dayStartMs, 0);
    else await loading;
    return this.stateOf(subject);
  }
}

/** Takes the higher count: the recorded one may include what was counted here. */
function raiseDay(state: State, dayStartMs: number, count: number): void {
  if (state.dayStartMs === UNKNOWN) state.dayStartMs = dayStartMs;
  if (state.dayStartMs === dayStartMs) state.dayUsed = Math.max(state.dayUsed, count);
}

/** The ban that matters for the next decision: of the held one and the row's, the one that ends later. */
function lastBan({ ban: row, penaltiesResetAtMs }: Subject, state: State, nowMs: number): KeyBan | null {
  const held = state.ban && hasBanStarted(state.ban, nowMs) ? state.ban : null;
  const isCurrent = row && row.untilMs - row.durationMs >= penaltiesResetAtMs && hasBanStarted(row, nowMs);
  return isCurrent && row.untilMs > (held?.untilMs ?? 0) ? row : held;
}

/** Counts a refusal. The one above the threshold starts a ban; an address is never banned. */
function punish(subject: Subject, state: State, last: KeyBan | null, nowMs: number): KeyBan | null {
  if (subject.perDay === null) return null;
  const startMs = runningWindowStartMs(state.refusalsStartMs, RULES.REFUSAL_WINDOW_MS, nowMs);
  if (startMs !== state.refusalsStartMs) state.refusals = 0;
  state.refusalsStartMs = startMs;
  state.refusals += 1;
  if (state.refusals <= subject.perMinute * RULES.REFUSALS_PER_LIMIT) return null;
  state.refusals = 0;
  return (state.ban = nextBan(last, nowMs));
}
