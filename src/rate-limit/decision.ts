import { DAY_MS, MINUTE_MS, type Ban } from './limit-windows.js';

/** Whom a request is counted against, with the limits of this very moment. */
export interface Subject {
  /** `key:<uuid>` or `address:<address>`. */
  id: string;
  perMinute: number;
  /** null: no day window (an address). */
  perDay: number | null;
  canBeBanned: boolean;
  /** The last ban as kept on the key's row, over or not; null: never banned, or forgiven. */
  ban: Ban | null;
  /** Refusals, bans and doubling from before this moment count no more; 0: never forgiven. */
  forgivenAtMs: number;
}

export type WindowName = 'minute' | 'day';

export const WINDOW_MS: Record<WindowName, number> = { minute: MINUTE_MS, day: DAY_MS };

export interface WindowState {
  name: WindowName;
  limit: number;
  /** May exceed the limit after the limit was lowered. */
  used: number;
  /** Never negative. */
  remaining: number;
  resetAtMs: number;
}

export type Outcome = 'admitted' | 'refused' | 'banned';

export interface Decision {
  /** Of a peek: what a request would have got. */
  outcome: Outcome;
  /** The time on the clock that decided. */
  nowMs: number;
  /** After this request; the minute first, the day second where there is one. */
  windows: WindowState[];
  /** null unless a ban is in force. */
  bannedUntilMs: number | null;
  /** Only on the one request that started a ban, so that it is kept and logged once. */
  startedBan: Ban | null;
}

/** What a store found for a number of requests of one subject taken together. */
export interface Tally {
  nowMs: number;
  minuteStartMs: number;
  minuteUsed: number;
  dayStartMs: number;
  dayUsed: number;
  admitted: number;
  /** Refused by a window; what is neither admitted nor refused met a ban. */
  refused: number;
  bannedUntilMs: number | null;
  startedBan: Ban | null;
}

/** The decision of each of the tally's requests, in the order in which they came. */
export function decisionOf(subject: Subject, tally: Tally, index: number): Decision {
  // The tally holds the counts after the last one; an earlier one saw those after it still unspent.
  const laterAdmitted = Math.max(0, tally.admitted - 1 - index);
  const firstBanned = tally.admitted + tally.refused;
  const isBanned = index >= firstBanned;
  return {
    outcome: index < tally.admitted ? 'admitted' : isBanned ? 'banned' : 'refused',
    nowMs: tally.nowMs,
    windows: windowsOf(subject, tally, laterAdmitted),
    bannedUntilMs: isBanned ? tally.bannedUntilMs : null,
    startedBan: index === firstBanned ? tally.startedBan : null,
  };
}

/** What a tally of no requests shows: the state, and what a request would get. */
export function peekOf(subject: Subject, tally: Tally): Decision {
  const windows = windowsOf(subject, tally, 0);
  const hasRoom = windows.every((window) => window.remaining > 0);
  return {
    outcome: tally.bannedUntilMs !== null ? 'banned' : hasRoom ? 'admitted' : 'refused',
    nowMs: tally.nowMs,
    windows,
    bannedUntilMs: tally.bannedUntilMs,
    startedBan: null,
  };
}

function windowsOf(subject: Subject, tally: Tally, unspent: number): WindowState[] {
  const minute = windowOf('minute', subject.perMinute, tally.minuteUsed - unspent, tally.minuteStartMs);
  if (subject.perDay === null) return [minute];
  return [minute, windowOf('day', subject.perDay, tally.dayUsed - unspent, tally.dayStartMs)];
}

function windowOf(name: WindowName, limit: number, used: number, startMs: number): WindowState {
  return { name, limit, used, remaining: Math.max(0, limit - used), resetAtMs: startMs + WINDOW_MS[name] };
}
