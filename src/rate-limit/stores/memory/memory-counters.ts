import { RecentMap } from '../../../common/recent-map.js';
import { DAY_MS, MINUTE_MS } from '../../../common/time.js';
import {
  decisionOf,
  peekOf,
  type Decision,
  type Subject,
  type Tally,
  type WindowState,
} from '../../decision/decision.js';
import { REFUSAL_WINDOW_MS, runningWindowStartMs } from '../../decision/rules.js';
import type { Counters, DailyCountOptions } from '../counters.js';
import { DailyCountLoader } from '../daily-count-loader.js';
import { MemoryBans } from './memory-bans.js';

const MAX_KEYS = 1_000_000;
const MAX_ADDRESSES = 200_000;
const MAX_PENALTIES = 100_000;

export interface MemoryCountersOptions extends DailyCountOptions {
  clock: { nowMs(): number };
  /**
   * Replaces shared counters while they are away. Requests then do not wait for initial counts, and the shared counters may hold
   * counts of a day that began while this process ran. The default is false: there are no shared counters.
   */
  isFallback?: boolean;
  /** Bounds of what is held, for tests. */
  maxKeys?: number;
  maxAddresses?: number;
  maxPenalties?: number;
}

/** The counts of one key: one small object, because a million keys may be held until the day ends. */
interface KeyCounts {
  day: number;
  minute: number;
  /** Whole minutes since the epoch; `minute` counts for this minute only. */
  minuteNumber: number;
  /** The day began without its initial count, because loading it failed or is under way. */
  isIncomplete: boolean;
}

/**
 * The counters of one process. Windows are dropped whole when they end, so no subject needs to be cleaned up: keys live
 * for the UTC day, addresses for the minute. A key that is dropped earlier, to make room, starts again from what usage
 * has recorded.
 */
export class MemoryCounters implements Counters {
  private minuteStartMs = 0;
  private dayStartMs = 0;
  private refusalStartMs = 0;
  private keys: RecentMap<string, KeyCounts>;
  private addresses: RecentMap<string, number>;
  private readonly bans: MemoryBans;
  private readonly loader: DailyCountLoader;
  /** Every request since this time was counted here. */
  private completeSinceMs: number;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: MemoryCountersOptions) {
    this.keys = this.noKeys();
    this.addresses = this.noAddresses();
    this.bans = new MemoryBans(options.maxPenalties ?? MAX_PENALTIES);
    this.completeSinceMs = options.clock.nowMs();
    this.loader = new DailyCountLoader({ ...options, apply: (...loaded) => this.applyCount(...loaded) });
    // Frees the windows of a process that receives no more requests.
    this.timer = setInterval(() => this.dropEndedWindows(), MINUTE_MS).unref();
  }

  /** How many entries are held. */
  get size(): number {
    return this.keys.size + this.addresses.size + this.bans.size + this.loader.size;
  }

  async decide(subject: Subject): Promise<Decision> {
    if (this.needsInitialCount(subject)) await this.loadCount(subject);
    return decisionOf(subject, this.count(subject, 1), 0);
  }

  async peek(subject: Subject): Promise<Decision> {
    if (this.needsInitialCount(subject)) await this.loadCount(subject);
    return peekOf(subject, this.count(subject, 0));
  }

  /** Takes over counts of other counters where they are higher. */
  adopt(subject: Subject, windows: readonly WindowState[]): void {
    this.dropEndedWindows();
    for (const { name, used, resetAtMs } of windows) {
      if (name === 'day' && resetAtMs === this.dayStartMs + DAY_MS) this.raise(subject, 0, used);
      if (name === 'minute' && resetAtMs === this.minuteStartMs + MINUTE_MS) this.raise(subject, used, 0);
    }
  }

  close(): void {
    clearInterval(this.timer);
  }

  private count(subject: Subject, wanted: number): Tally {
    const nowMs = this.dropEndedWindows();
    const last = this.bans.lastBan(subject, nowMs);
    const isBanned = last !== null && nowMs < last.untilMs;
    const used = this.usedBy(subject);
    const dayRoom = subject.perDay === null ? Infinity : subject.perDay - used.day;
    const room = isBanned ? 0 : Math.max(0, Math.min(subject.perMinute - used.minute, dayRoom));
    const admitted = Math.min(wanted, room);
    if (admitted > 0) this.spend(subject, admitted);
    const { refused, startedBan } = isBanned
      ? { refused: 0, startedBan: null }
      : this.bans.punish(subject, wanted - admitted, last, nowMs);
    return {
      nowMs,
      minuteStartMs: this.minuteStartMs,
      minuteUsed: used.minute + admitted,
      dayStartMs: this.dayStartMs,
      dayUsed: used.day + admitted,
      admitted,
      refused,
      bannedUntilMs: isBanned ? last.untilMs : (startedBan?.untilMs ?? null),
      startedBan,
    };
  }

  private usedBy(subject: Subject): { minute: number; day: number } {
    if (subject.perDay === null) return { minute: this.addresses.get(subject.id) ?? 0, day: 0 };
    const counts = this.keys.get(subject.id);
    if (!counts) return { minute: 0, day: 0 };
    return { minute: counts.minuteNumber === this.minuteNumber ? counts.minute : 0, day: counts.day };
  }

  private spend(subject: Subject, admitted: number): void {
    if (subject.perDay === null) {
      this.addresses.set(subject.id, (this.addresses.get(subject.id) ?? 0) + admitted);
      return;
    }
    const counts = this.countsOf(subject.id);
    counts.day += admitted;
    counts.minute += admitted;
  }

  private raise(subject: Subject, minute: number, day: number): void {
    if (subject.perDay === null) {
      this.addresses.set(subject.id, Math.max(this.addresses.get(subject.id) ?? 0, minute));
      return;
    }
    const counts = this.countsOf(subject.id);
    counts.minute = Math.max(counts.minute, minute);
    counts.day = Math.max(counts.day, day);
  }

  private countsOf(id: string): KeyCounts {
    let counts = this.keys.get(id);
    if (!counts) {
      counts = { day: 0, minute: 0, minuteNumber: this.minuteNumber, isIncomplete: false };
      this.keys.set(id, counts);
    }
    if (counts.minuteNumber !== this.minuteNumber) {
      counts.minute = 0;
      counts.minuteNumber = this.minuteNumber;
    }
    return counts;
  }

  private get minuteNumber(): number {
    return this.minuteStartMs / MINUTE_MS;
  }

  private needsInitialCount({ id, perDay }: Subject): boolean {
    if (perDay === null || !this.loader.isOn) return false;
    this.dropEndedWindows();
    const counts = this.keys.get(id);
    if (counts?.isIncomplete) this.loader.retry(id, this.dayStartMs);
    if (counts) return false;
    // A day that began here began at zero, unless counts were dropped since.
    const sawDayBegin = this.completeSinceMs < this.dayStartMs && !this.keys.hasDropped;
    return this.options.isFallback === true || !sawDayBegin;
  }

  private async loadCount({ id }: Subject): Promise<void> {
    const dayStartMs = this.dayStartMs;
    const loaded = this.loader.load(id, dayStartMs);
    if (this.options.isFallback !== true) await loaded;
    this.dropEndedWindows();
    if (this.keys.get(id) || this.dayStartMs !== dayStartMs) return;
    this.countsOf(id).isIncomplete = true;
  }

  /** Takes the higher count: the recorded one may include what was counted here. */
  private applyCount(id: string, dayStartMs: number, count: number): void {
    this.dropEndedWindows();
    if (dayStartMs !== this.dayStartMs) return;
    const counts = this.countsOf(id);
    counts.day = Math.max(counts.day, count);
    counts.isIncomplete = false;
  }

  /** Drops the windows that have ended. Returns the time. */
  private dropEndedWindows(): number {
    const nowMs = this.options.clock.nowMs();
    if (nowMs >= this.minuteStartMs && nowMs < this.minuteStartMs + MINUTE_MS) return nowMs;
    const minuteStartMs = runningWindowStartMs(this.minuteStartMs, MINUTE_MS, nowMs);
    if (minuteStartMs !== this.minuteStartMs) this.addresses = this.noAddresses();
    this.minuteStartMs = minuteStartMs;
    const refusalStartMs = runningWindowStartMs(this.refusalStartMs, REFUSAL_WINDOW_MS, nowMs);
    if (refusalStartMs !== this.refusalStartMs) this.bans.startRefusalWindow();
    this.refusalStartMs = refusalStartMs;
    const dayStartMs = runningWindowStartMs(this.dayStartMs, DAY_MS, nowMs);
    if (dayStartMs !== this.dayStartMs) this.startDay(dayStartMs, nowMs);
    return nowMs;
  }

  private startDay(dayStartMs: number, nowMs: number): void {
    // The clock was set back to a day whose counts are gone: usage has them.
    if (dayStartMs < this.dayStartMs) this.completeSinceMs = nowMs;
    this.dayStartMs = dayStartMs;
    this.keys = this.noKeys();
  }

  private noKeys(): RecentMap<string, KeyCounts> {
    return new RecentMap(this.options.maxKeys ?? MAX_KEYS);
  }

  private noAddresses(): RecentMap<string, number> {
    return new RecentMap(this.options.maxAddresses ?? MAX_ADDRESSES);
  }
}
