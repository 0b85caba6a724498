import { BanBook } from './ban-book.js';
import type { Counters, SeedOptions } from './counters.js';
import { DaySeeds } from './day-seeds.js';
import { decisionOf, peekOf, type Decision, type Subject, type Tally, type WindowState } from './decision.js';
import { DAY_MS, MINUTE_MS, REFUSAL_WINDOW_MS, runningWindowStartMs } from './limit-windows.js';

const SEED_WAIT_MS = 1_000;

export interface MemoryCountersOptions extends SeedOptions {
  clock: { nowMs(): number };
  /**
   * Stands in while the shared counters are away. It then does not make requests wait for a seed, and it knows that it
   * has not seen every request of a day that began while it ran. Default: the only counters there are.
   */
  isFallback?: boolean;
}

/** What one key has used. One small object a key: a million of them may lie idle until the day ends. */
interface KeyCounts {
  day: number;
  minute: number;
  /** Whole minutes since the epoch; any other than the running one means that `minute` is over. */
  minuteNumber: number;
}

/**
 * The counters of one process. Windows are dropped whole when they end, so nothing is kept per subject to clean up
 * later: keys for the UTC day, strangers for their minute.
 */
export class MemoryCounters implements Counters {
  private minuteStartMs = 0;
  private dayStartMs = 0;
  private refusalStartMs = 0;
  private keys = new Map<string, KeyCounts>();
  private strangers = new Map<string, number>();
  /** Keys whose day began without the recorded count, because reading it failed or is still under way. */
  private unseeded = new Set<string>();
  private readonly bans = new BanBook();
  private readonly seeds: DaySeeds;
  /** Since when every request was counted here. */
  private completeSinceMs: number;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: MemoryCountersOptions) {
    this.completeSinceMs = options.clock.nowMs();
    this.seeds = new DaySeeds({
      ...options,
      waitMs: SEED_WAIT_MS,
      apply: (...seed) => this.applySeed(...seed),
    });
    // Frees the windows of a process that no longer gets requests.
    this.timer = setInterval(() => this.turn(), MINUTE_MS).unref();
  }

  async decide(subject: Subject): Promise<Decision> {
    if (this.needsSeed(subject)) await this.seed(subject);
    return decisionOf(subject, this.count(subject, 1), 0);
  }

  async peek(subject: Subject): Promise<Decision> {
    if (this.needsSeed(subject)) await this.seed(subject);
    return peekOf(subject, this.count(subject, 0));
  }

  /** Takes over counts seen elsewhere where they are higher than the ones here. */
  adopt(subject: Subject, windows: readonly WindowState[]): void {
    this.turn();
    for (const { name, used, resetAtMs } of windows) {
      if (name === 'day' && resetAtMs === this.dayStartMs + DAY_MS) this.raise(subject, 0, used);
      if (name === 'minute' && resetAtMs === this.minuteStartMs + MINUTE_MS) this.raise(subject, used, 0);
    }
  }

  close(): void {
    clearInterval(this.timer);
  }

  private count(subject: Subject, wanted: number): Tally {
    const nowMs = this.turn();
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
    if (subject.perDay === null) return { minute: this.strangers.get(subject.id) ?? 0, day: 0 };
    const counts = this.keys.get(subject.id);
    if (!counts) return { minute: 0, day: 0 };
    return { minute: counts.minuteNumber === this.minuteNumber ? counts.minute : 0, day: counts.day };
  }

  private spend(subject: Subject, admitted: number): void {
    if (subject.perDay === null) {
      this.strangers.set(subject.id, (this.strangers.get(subject.id) ?? 0) + admitted);
      return;
    }
    const counts = this.countsOf(subject.id);
    counts.day += admitted;
    counts.minute += admitted;
  }

  private raise(subject: Subject, minute: number, day: number): void {
    if (subject.perDay === null) {
      this.strangers.set(subject.id, Math.max(this.strangers.get(subject.id) ?? 0, minute));
      return;
    }
    const counts = this.countsOf(subject.id);
    counts.minute = Math.max(counts.minute, minute);
    counts.day = Math.max(counts.day, day);
  }

  private countsOf(id: string): KeyCounts {
    let counts = this.keys.get(id);
    if (!counts) {
      counts = { day: 0, minute: 0, minuteNumber: this.minuteNumber };
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

  private needsSeed(subject: Subject): boolean {
    if (subject.perDay === null || !this.seeds.isOn) return false;
    this.turn();
    if (this.unseeded.size > 0 && this.unseeded.has(subject.id))
      this.seeds.retry(subject.id, this.dayStartMs);
    if (this.keys.has(subject.id)) return false;
    // A day that began under our eyes began at zero.
    return this.options.isFallback === true || this.completeSinceMs >= this.dayStartMs;
  }

  private async seed({ id }: Subject): Promise<void> {
    const dayStartMs = this.dayStartMs;
    const loaded = this.seeds.load(id, dayStartMs);
    if (this.options.isFallback !== true) await loaded;
    this.turn();
    if (this.keys.has(id) || this.dayStartMs !== dayStartMs) return;
    this.countsOf(id);
    this.unseeded.add(id);
  }

  /** The higher of the two: what was recorded may hold what was counted here already. */
  private applySeed(id: string, dayStartMs: number, used: number): void {
    this.turn();
    if (dayStartMs !== this.dayStartMs) return;
    const counts = this.countsOf(id);
    counts.day = Math.max(counts.day, used);
    this.unseeded.delete(id);
  }

  /** Brings the windows up to the clock, and drops those that have ended. Returns the time. */
  private turn(): number {
    const nowMs = this.options.clock.nowMs();
    if (nowMs >= this.minuteStartMs && nowMs < this.minuteStartMs + MINUTE_MS) return nowMs;
    const minuteStartMs = runningWindowStartMs(this.minuteStartMs, MINUTE_MS, nowMs);
    if (minuteStartMs !== this.minuteStartMs) this.strangers = new Map();
    this.minuteStartMs = minuteStartMs;
    const refusalStartMs = runningWindowStartMs(this.refusalStartMs, REFUSAL_WINDOW_MS, nowMs);
    if (refusalStartMs !== this.refusalStartMs) this.bans.startRefusalWindow(nowMs);
    this.refusalStartMs = refusalStartMs;
    const dayStartMs = runningWindowStartMs(this.dayStartMs, DAY_MS, nowMs);
    if (dayStartMs !== this.dayStartMs) this.startDay(dayStartMs, nowMs);
    return nowMs;
  }

  private startDay(dayStartMs: number, nowMs: number): void {
    // Back on a day whose counts are gone: usage knows them.
    if (dayStartMs < this.dayStartMs) this.completeSinceMs = nowMs;
    this.dayStartMs = dayStartMs;
    this.keys = new Map();
    this.unseeded = new Set();
  }
}
