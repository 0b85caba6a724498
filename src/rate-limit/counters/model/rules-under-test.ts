import type { KeyBan } from '../../../auth/keys/api-key.js';
import { DAY_MS, MINUTE_MS } from '../../../platform/common/time.js';
import type { Decision } from '../../decision.js';

/** The rules of the contract, applied to one request at a time. */
export class Model {
  used: Record<'minute' | 'day', { at: number; count: number }> = {
    minute: { at: 0, count: 0 },
    day: { at: 0, count: 0 },
  };
  refusals = { at: 0, count: 0 };
  ban: KeyBan | null = null;
  recorded = { at: 0, count: 0 };

  /** The running window; its count is zero when the window is new. */
  private running(window: { at: number; count: number }, lengthMs: number, nowMs: number) {
    const at = nowMs - (nowMs % lengthMs);
    return window.at === at ? window : Object.assign(window, { at, count: 0 });
  }

  request(perMinute: number, perDay: number, nowMs: number): Partial<Decision> {
    const minute = this.running(this.used.minute, MINUTE_MS, nowMs);
    const day = this.running(this.used.day, DAY_MS, nowMs);
    const refusals = this.running(this.refusals, 600_000, nowMs);
    if (this.ban && nowMs < this.ban.untilMs) {
      return { outcome: 'banned', bannedUntilMs: this.ban.untilMs, startedBan: null };
    }
    if (minute.count < perMinute && day.count < perDay) {
      minute.count += 1;
      day.count += 1;
      return { outcome: 'admitted', bannedUntilMs: null, startedBan: null };
    }
    refusals.count += 1;
    if (refusals.count <= 10 * perMinute)
      return { outcome: 'refused', bannedUntilMs: null, startedBan: null };
    const last = this.ban;
    const isSoon = last !== null && nowMs - last.untilMs <= DAY_MS;
    const durationMs = isSoon ? Math.min(2 * last.durationMs, DAY_MS) : 600_000;
    this.ban = { untilMs: nowMs + durationMs, durationMs };
    refusals.count = 0;
    return { outcome: 'banned', bannedUntilMs: this.ban.untilMs, startedBan: this.ban };
  }

  /** What a request would get, without counting it. */
  peek(perMinute: number, perDay: number, nowMs: number): Partial<Decision> {
    const minute = this.running(this.used.minute, MINUTE_MS, nowMs);
    const day = this.running(this.used.day, DAY_MS, nowMs);
    const isBanned = this.ban !== null && nowMs < this.ban.untilMs;
    const hasRoom = minute.count < perMinute && day.count < perDay;
    return {
      outcome: isBanned ? 'banned' : hasRoom ? 'admitted' : 'refused',
      bannedUntilMs: isBanned ? (this.ban?.untilMs ?? null) : null,
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

  record(): void {
    this.recorded = { ...this.used.day };
  }

  resetPenalties(): void {
    this.refusals.count = 0;
    this.ban = null;
  }

  /** The state after a store lost everything: what usage recorded, and the ban on the row of the key. */
  restart(): void {
    this.used = { minute: { at: 0, count: 0 }, day: { ...this.recorded } };
    this.refusals = { at: 0, count: 0 };
  }
}
