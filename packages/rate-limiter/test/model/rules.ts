import type { Ban, Decision } from '../../src/decision.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time.js';

interface Counted {
  at: number;
  count: number;
}

const never = (): Counted => ({ at: -Infinity, count: 0 });
const copyOf = (counted: Counted): Counted => ({ ...counted });

/** A clock that steps back by no more than this continues the running windows. */
const SMALL_STEP_MS = 60_000;

/** The rules of the contract, applied to one request at a time. */
export class Model {
  private used = { minute: never(), day: never() };
  /** The latest windows that the clock has stepped back from. */
  private later = { minute: never(), day: never() };
  private refusals = never();
  private ban: Ban | null = null;
  /** Every count of a day. */
  private readonly days = new Map<number, number>();
  private recorded = new Map<number, number>();

  request(perMinute: number, perDay: number, nowMs: number): Partial<Decision> {
    const { minute, day } = this.running(nowMs);
    const last = this.startedBan(nowMs);
    if (last && nowMs < last.untilMs) {
      return { outcome: 'banned', bannedUntilMs: last.untilMs, startedBan: null };
    }
    if (minute.count < perMinute && day.count < perDay) {
      minute.count += 1;
      day.count += 1;
      this.days.set(day.at, day.count);
      return { outcome: 'admitted', bannedUntilMs: null, startedBan: null };
    }
    const at = startOf(this.refusals, 600_000, nowMs);
    if (at !== this.refusals.at) this.refusals = { at, count: 0 };
    this.refusals.count += 1;
    if (this.refusals.count <= 10 * perMinute)
      return { outcome: 'refused', bannedUntilMs: null, startedBan: null };
    const isSoon = last !== null && nowMs - last.untilMs <= DAY_MS;
    const durationMs = isSoon ? Math.min(2 * last.durationMs, DAY_MS) : 600_000;
    this.ban = { untilMs: nowMs + durationMs, durationMs };
    this.refusals = never();
    return { outcome: 'banned', bannedUntilMs: this.ban.untilMs, startedBan: this.ban };
  }

  /** What a request would get, without counting it. */
  peek(perMinute: number, perDay: number, nowMs: number): Partial<Decision> {
    const { minute, day } = this.running(nowMs);
    const ban = this.startedBan(nowMs);
    const isBanned = ban !== null && nowMs < ban.untilMs;
    const hasRoom = minute.count < perMinute && day.count < perDay;
    return {
      outcome: isBanned ? 'banned' : hasRoom ? 'admitted' : 'refused',
      bannedUntilMs: isBanned ? ban.untilMs : null,
      startedBan: null,
    };
  }

  windows(perMinute: number, perDay: number) {
    const shown = (name: 'minute' | 'day', limit: number, lengthMs: number) => {
      const { at, count } = this.used[name];
      return { name, limit, used: count, remaining: Math.max(0, limit - count), resetAtMs: at + lengthMs };
    };
    return [shown('minute', perMinute, MINUTE_MS), shown('day', perDay, DAY_MS)];
  }

  /** Usage records what was counted so far. */
  record(): void {
    this.recorded = new Map(this.days);
  }

  recordedOn(dayStartMs: number): number {
    return this.recorded.get(dayStartMs) ?? 0;
  }

  resetPenalties(): void {
    this.refusals = never();
    this.ban = null;
  }

  /** The state after a store lost everything: what usage recorded, and the ban on the row of the key. */
  restart(): void {
    this.used = { minute: never(), day: never() };
    this.later = { minute: never(), day: never() };
    this.refusals = never();
  }

  private running(nowMs: number) {
    const minuteAt = this.enter('minute', MINUTE_MS, nowMs);
    if (minuteAt !== this.used.minute.at)
      this.used.minute = this.kept('minute', minuteAt) ?? { at: minuteAt, count: 0 };
    const dayAt = this.enter('day', DAY_MS, nowMs);
    const before = this.used.day.at;
    if (dayAt !== before) {
      const hasSeenBegin = before === dayAt - DAY_MS && this.later.day.at < dayAt && nowMs - dayAt < HOUR_MS;
      const count = hasSeenBegin ? 0 : this.recordedOn(dayAt);
      this.used.day = this.kept('day', dayAt) ?? { at: dayAt, count };
    }
    return this.used;
  }

  /** The start of the window that counts now. Keeps the stored one where the clock has stepped back from it. */
  private enter(name: 'minute' | 'day', lengthMs: number, nowMs: number): number {
    const stored = this.used[name];
    const at = startOf(stored, lengthMs, nowMs);
    const isNear = stored.at <= nowMs + 2 * DAY_MS;
    if (at < stored.at && stored.at >= this.later[name].at && isNear) this.later[name] = copyOf(stored);
    return at;
  }

  private kept(name: 'minute' | 'day', at: number): Counted | null {
    return this.later[name].at === at ? copyOf(this.later[name]) : null;
  }

  /** A ban that starts in the future was made by a wrong clock. */
  private startedBan(nowMs: number): Ban | null {
    return this.ban && this.ban.untilMs - this.ban.durationMs <= nowMs + SMALL_STEP_MS ? this.ban : null;
  }
}

function startOf(stored: Counted, lengthMs: number, nowMs: number): number {
  const isRunning = nowMs < stored.at + lengthMs && nowMs >= stored.at - SMALL_STEP_MS;
  return isRunning ? stored.at : nowMs - (nowMs % lengthMs);
}
