import { type Decision, type Subject, isSameSubject } from '../decision.js';
import type { SharedReply } from './shared-counters.js';

/** What is left of allowances has come back this long after their end. */
export const MARGIN_MS = 50;

/**
 * A refusal of the shared counters that nothing can end before its time, so that further requests are refused without a call: a ban, or
 * the used-up minute of a subject without a day. Any other refusal has to be counted, because it may start a ban.
 */
export class KnownRefusal {
  private constructor(
    /** The subject as it was refused. */
    private readonly subject: Subject,
    private readonly reply: SharedReply,
    /** On the monotonic clock, reckoned from before the call, so that it is never too late. */
    private readonly untilMs: number,
    /** What has to be added to the monotonic clock for a time that is never ahead of the shared counters'. */
    private readonly clockOffsetMs: number,
  ) {}

  /** null where the next request may have another outcome. The times are those of the call, on the monotonic clock. */
  static fromReply(
    subject: Subject,
    reply: SharedReply,
    sentAtMs: number,
    receivedAtMs: number,
  ): KnownRefusal | null {
    const { outcome, nowMs, windows, bannedUntilMs, allowancesUntilMs } = reply;
    const isExhausted =
      outcome === 'refused' && subject.perDay === null && allowancesUntilMs + MARGIN_MS <= nowMs;
    if (outcome !== 'banned' && !isExhausted) return null;
    // The windows that a ban shows change with the minute.
    const endsAtMs = Math.min(windows[0]?.resetAtMs ?? 0, bannedUntilMs ?? Infinity);
    return new KnownRefusal(subject, reply, sentAtMs + endsAtMs - nowMs, nowMs - receivedAtMs);
  }

  /** Refuses a request; null when the time is over or the subject has changed. */
  refuse(subject: Subject, nowMs: number): Decision | null {
    if (nowMs >= this.untilMs || !isSameSubject(subject, this.subject)) return null;
    const { outcome, windows, bannedUntilMs } = this.reply;
    return {
      outcome: outcome === 'banned' ? 'banned' : 'refused',
      source: 'refusal',
      nowMs: Math.floor(nowMs + this.clockOffsetMs),
      windows,
      bannedUntilMs,
      startedBan: null,
    };
  }
}
