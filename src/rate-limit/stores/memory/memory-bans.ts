import type { KeyBan } from '../../../auth/keys/api-key.js';
import { RecentMap } from '../../../common/recent-map.js';
import type { Subject } from '../../decision/decision.js';
import { REFUSALS_PER_LIMIT, hasBanStarted, nextBan } from '../../decision/rules.js';

/** An entry counts until the key comes with a later penaltiesResetAtMs. */
interface Entry {
  penaltiesResetAtMs: number;
}

interface Refusals extends Entry {
  count: number;
}

export interface Penalty {
  /** How many of the requests without room a window refused; the others met the ban. */
  refused: number;
  startedBan: KeyBan | null;
}

/** Refusals and bans in memory. Only keys that were refused or banned take up room. */
export class MemoryBans {
  private refusals: RecentMap<string, Refusals>;
  /** A ban that is dropped here remains on the key's row. */
  private readonly bans: RecentMap<string, KeyBan & Entry>;

  constructor(private readonly maxKeys: number) {
    this.refusals = new RecentMap(maxKeys);
    this.bans = new RecentMap(maxKeys);
  }

  get size(): number {
    return this.refusals.size + this.bans.size;
  }

  /** The ban that matters for the next decision: of the stored one and the row's, the one that ends later. */
  lastBan(subject: Subject, nowMs: number): KeyBan | null {
    if (!subject.canBeBanned) return null;
    const stored = unlessReset(subject, this.bans.get(subject.id));
    const candidates = [stored, rowBan(subject)].filter((ban) => ban !== undefined);
    const started = candidates.filter((ban) => hasBanStarted(ban, nowMs));
    return started.reduce<KeyBan | null>(
      (last, ban) => (last && last.untilMs >= ban.untilMs ? last : ban),
      null,
    );
  }

  /** Counts requests that found no room. The request above the threshold starts a ban. */
  punish(subject: Subject, count: number, last: KeyBan | null, nowMs: number): Penalty {
    if (!subject.canBeBanned || count === 0) return { refused: count, startedBan: null };
    const before = unlessReset(subject, this.refusals.get(subject.id))?.count ?? 0;
    const allowed = Math.max(0, subject.perMinute * REFUSALS_PER_LIMIT - before);
    const { id, penaltiesResetAtMs } = subject;
    if (count <= allowed) {
      this.refusals.set(id, { count: before + count, penaltiesResetAtMs });
      return { refused: count, startedBan: null };
    }
    const ban = nextBan(last, nowMs);
    this.refusals.delete(id);
    this.bans.set(id, { ...ban, penaltiesResetAtMs });
    return { refused: allowed, startedBan: ban };
  }

  /** Starts a new refusal window: counts begin at zero. */
  startRefusalWindow(): void {
    this.refusals = new RecentMap(this.maxKeys);
  }
}

/**
 * The reset mark only grows. It is compared with the mark of the entry and never with a clock, so that an unban works
 * although the clocks of the database, of Redis and of this process differ.
 */
function unlessReset<T extends Entry>(subject: Subject, entry: T | undefined): T | undefined {
  return entry && entry.penaltiesResetAtMs >= subject.penaltiesResetAtMs ? entry : undefined;
}

function rowBan({ ban, penaltiesResetAtMs }: Subject): KeyBan | undefined {
  return ban && ban.untilMs - ban.durationMs >= penaltiesResetAtMs ? ban : undefined;
}
