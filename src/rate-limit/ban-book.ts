import type { Subject } from './decision.js';
import { BAN_MEMORY_MS, REFUSALS_PER_LIMIT, hasBanStarted, nextBan, type Ban } from './limit-windows.js';

/** What is kept against a key; forgiven once the key comes with a later forgivenAtMs. */
interface Kept {
  forgivenAtMs: number;
}

interface Refusals extends Kept {
  count: number;
}

export interface Penalty {
  /** Of the requests that found no room, how many were refused by a window; the others met the ban. */
  refused: number;
  startedBan: Ban | null;
}

/** Refusals and bans in memory. Only keys that were refused lately or banned take up room. */
export class BanBook {
  private refusals = new Map<string, Refusals>();
  private readonly bans = new Map<string, Ban & Kept>();

  /** The last ban that still matters: in force, or to be doubled. The store's own and the row's, whichever ends later. */
  lastBan(subject: Subject, nowMs: number): Ban | null {
    if (!subject.canBeBanned) return null;
    const own = forgiven(subject, this.bans.get(subject.id));
    const candidates = [own, rowBan(subject)].filter((ban) => ban !== undefined);
    const started = candidates.filter((ban) => hasBanStarted(ban, nowMs));
    return started.reduce<Ban | null>(
      (last, ban) => (last && last.untilMs >= ban.untilMs ? last : ban),
      null,
    );
  }

  /** Counts requests that found no room. The one that brings the count over the edge starts a ban. */
  punish(subject: Subject, count: number, last: Ban | null, nowMs: number): Penalty {
    if (!subject.canBeBanned || count === 0) return { refused: count, startedBan: null };
    const before = forgiven(subject, this.refusals.get(subject.id))?.count ?? 0;
    const allowed = Math.max(0, subject.perMinute * REFUSALS_PER_LIMIT - before);
    const { id, forgivenAtMs } = subject;
    if (count <= allowed) {
      this.refusals.set(id, { count: before + count, forgivenAtMs });
      return { refused: count, startedBan: null };
    }
    const ban = nextBan(last, nowMs);
    this.refusals.delete(id);
    this.bans.set(id, { ...ban, forgivenAtMs });
    return { refused: allowed, startedBan: ban };
  }

  /** A new refusal window: counts begin anew, and bans too old to be doubled are dropped. */
  startRefusalWindow(nowMs: number): void {
    this.refusals = new Map();
    for (const [id, ban] of this.bans) {
      if (nowMs - ban.untilMs > BAN_MEMORY_MS || !hasBanStarted(ban, nowMs)) this.bans.delete(id);
    }
  }
}

/**
 * Forgiveness is a mark that only grows, compared with the mark under which something was kept and never with a clock:
 * the clocks of the database, of Redis and of this process need not agree for an unban to work.
 */
function forgiven<T extends Kept>(subject: Subject, kept: T | undefined): T | undefined {
  return kept && kept.forgivenAtMs >= subject.forgivenAtMs ? kept : undefined;
}

function rowBan({ ban, forgivenAtMs }: Subject): Ban | undefined {
  return ban && ban.untilMs - ban.lastedMs >= forgivenAtMs ? ban : undefined;
}
