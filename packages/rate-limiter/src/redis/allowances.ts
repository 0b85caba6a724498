import { setTimeout as pause } from 'node:timers/promises';
import { boundedMap } from '../bounded-map.js';
import { Counters } from '../counters.js';
import type { Decided, Decision, Subject } from '../decision.js';
import { type Clock, SYSTEM_CLOCK } from '../time.js';
import { Allowance } from './allowance.js';
import { KnownRefusal, MARGIN_MS } from './known-refusal.js';
import { ALLOWANCE_MS, type Ask, type SharedCounters, type SharedReply } from './shared-counters.js';

/** Requests of one known on this replica in two slots, the running one and the one before, that make it ask for an allowance. */
const HOT_REQUESTS = 4;
/** A replica returns what is left this long after the end, so that the caller's next request can carry it. */
const RETURN_AFTER_MS = 20;
const LONGEST_WAIT_MS = 500;
const MAX_SUBJECTS = 50_000;

/** Time as allowances need it, so that a test can turn it. */
export interface Timing {
  monotonicMs(): number;
  pause(ms: number): Promise<unknown>;
}

export function timingBy(clock: Clock): Timing {
  return {
    monotonicMs: () => clock.monotonicMs(),
    // The timer does not keep the process running.
    pause: (ms) => pause(ms, undefined, { ref: false }),
  };
}

/** What this process knows of one subject. */
interface Known {
  /** The number of the running slot of ALLOWANCE_MS. */
  slot: number;
  requests: number;
  requestsBefore: number;
  /** The call under way that asks for an allowance. */
  asking: Promise<SharedReply> | null;
  /** The last such call got one, so the next is worth waiting for. */
  wasGranted: boolean;
  allowance: Allowance | null;
  refusal: KnownRefusal | null;
}

const PEEK: Ask = { cost: 0, want: 0, returned: null, mayWait: false };

/**
 * Shared counters, with allowances for callers that are busy on this replica: requests that the shared counters have counted
 * ahead, and that are admitted here without a call. Rejects when the shared counters do.
 */
export class CountersWithAllowances extends Counters {
  private readonly known = boundedMap<Known>(MAX_SUBJECTS);

  constructor(
    private readonly shared: SharedCounters,
    private readonly time: Timing = timingBy(SYSTEM_CLOCK),
  ) {
    super();
  }

  decide(subject: Subject, cost: 0 | 1 = 1): Decided {
    const known = this.knownOf(subject.id);
    if (cost === 0) return this.shared.decide(subject, PEEK).then((reply) => decisionOf(known, reply));
    this.noteRequest(known);
    return this.admit(known, subject) ?? this.refuse(known, subject) ?? this.decideShared(known, subject);
  }

  private async decideShared(known: Known, subject: Subject): Promise<Decision> {
    let waitedMs = 0;
    for (;;) {
      if (known.asking && known.wasGranted) await known.asking;
      const admitted = this.admit(known, subject);
      if (admitted) return admitted;
      const mayWait = waitedMs < LONGEST_WAIT_MS;
      const sentAtMs = this.time.monotonicMs();
      const reply = await this.ask(known, subject, mayWait);
      if (reply.outcome !== 'wait' || !mayWait) {
        known.refusal = KnownRefusal.fromReply(subject, reply, sentAtMs, this.time.monotonicMs());
        return decisionOf(known, reply);
      }
      const waitMs = Math.min(reply.allowancesUntilMs - reply.nowMs + MARGIN_MS, LONGEST_WAIT_MS - waitedMs);
      waitedMs += waitMs;
      await this.time.pause(waitMs);
    }
  }

  /** Returns everything that is left. */
  override async close(): Promise<void> {
    const allowances = [...this.known.values()].flatMap(({ allowance }) => allowance ?? []);
    await Promise.all(allowances.map((allowance) => this.giveBack(allowance)));
  }

  private knownOf(id: string): Known {
    let known = this.known.get(id);
    if (!known) {
      known = {
        slot: 0,
        requests: 0,
        requestsBefore: 0,
        asking: null,
        wasGranted: false,
        allowance: null,
        refusal: null,
      };
      this.known.set(id, known);
    }
    return known;
  }

  private noteRequest(known: Known): void {
    const slot = Math.floor(this.time.monotonicMs() / ALLOWANCE_MS);
    if (slot !== known.slot) {
      known.requestsBefore = slot === known.slot + 1 ? known.requests : 0;
      known.slot = slot;
      known.requests = 0;
    }
    known.requests += 1;
  }

  private admit({ allowance }: Known, subject: Subject): Decision | null {
    return allowance?.admit(subject, this.time.monotonicMs()) ?? null;
  }

  private refuse({ refusal }: Known, subject: Subject): Decision | null {
    return refusal?.refuse(subject, this.time.monotonicMs()) ?? null;
  }

  private async ask(known: Known, subject: Subject, mayWait: boolean): Promise<SharedReply> {
    const { allowance } = known;
    const returned = allowance?.takeBack() ?? null;
    known.allowance = null;
    const { requests, requestsBefore } = known;
    const demand = Math.max(requests, requestsBefore);
    if (known.asking || requests + requestsBefore < HOT_REQUESTS)
      return this.shared.decide(subject, { cost: 1, want: 0, returned, mayWait });
    const sentAtMs = this.time.monotonicMs();
    try {
      known.asking = this.shared.decide(subject, { cost: 1, want: demand, returned, mayWait });
      const reply = await known.asking;
      known.wasGranted = reply.granted > 0;
      if (reply.granted > 0) this.hold(known, subject, reply, sentAtMs);
      return reply;
    } finally {
      known.asking = null;
    }
  }

  private hold(known: Known, subject: Subject, reply: SharedReply, sentAtMs: number): void {
    const allowance = new Allowance(subject, reply, sentAtMs);
    known.allowance = allowance;
    const endsInMs = allowance.untilMs - this.time.monotonicMs();
    void this.time.pause(Math.max(0, endsInMs) + RETURN_AFTER_MS).then(() => {
      if (known.allowance === allowance) known.allowance = null;
      return this.giveBack(allowance);
    });
  }

  private async giveBack(allowance: Allowance): Promise<void> {
    const returned = allowance.takeBack();
    if (returned) await this.shared.decide(allowance.subject, { ...PEEK, returned }).catch(() => undefined);
  }
}

/** What the shared counters decided. Requests that this replica holds unused count as left. */
function decisionOf({ allowance }: Known, reply: SharedReply): Decision {
  const { outcome, nowMs, windows, bannedUntilMs, startedBan } = reply;
  return {
    outcome: outcome === 'wait' ? 'refused' : outcome,
    source: 'redis',
    nowMs,
    windows: allowance && outcome === 'admitted' ? allowance.see(windows) : windows,
    bannedUntilMs,
    startedBan,
  };
}
