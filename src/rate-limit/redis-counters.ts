import type { Cluster, Redis } from 'ioredis';
import type { Counters, SeedOptions } from './counters.js';
import { DaySeeds } from './day-seeds.js';
import {
  ANSWERS_PER_SUBJECT,
  DECIDE_SCRIPT,
  DECIDE_SCRIPT_SHA,
  PAST_CLEAN,
  PAST_NEVER_BANNED,
  SEED_ASK_ME,
  SEED_FAILED,
  SEED_OFF,
} from './decide-script.js';
import { decisionOf, peekOf, type Decision, type Subject, type Tally } from './decision.js';
import { withinDeadline } from './reply-deadline.js';

const SEED_WAIT_MS = 1_000;
/** A script blocks Redis while it runs; this many subjects take it well under a millisecond. */
const SUBJECTS_PER_CALL = 100;
/** Seeds that arrived too late for the request that asked; kept for the key's next one. */
const MAX_LATE_SEEDS = 10_000;

export interface RedisCountersOptions extends SeedOptions {
  keyPrefix?: string;
  /** A value of a subject did not belong there and was dropped: `what` names fields, or `type` for the whole. */
  onBroken?: (subjectId: string, what: string) => void;
  /** Only tests turn the clock; else Redis's own decides. */
  testClock?: { nowMs(): number };
  /** How long an answer may take; default: as a request can wait. */
  replyWithinMs?: number;
}

interface Waiter {
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

/** All requests of one subject that came in one turn of the event loop. */
interface Waiting {
  subject: Subject;
  requests: Waiter[];
  peeks: Waiter[];
  /** A seed was asked for already. */
  isSeeded: boolean;
}

/**
 * The counters all replicas share. Each turn of the event loop sends what came in as one call (on a Cluster one per
 * subject), a subject's requests as a count. Rejects when Redis fails; a late answer is then dropped unread.
 */
export class RedisCounters implements Counters {
  private waiting = new Map<string, Waiting>();
  private readonly seeds: DaySeeds;
  private readonly known = new Map<string, { dayStartMs: number; used: number }>();

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly options: RedisCountersOptions = {},
  ) {
    const clock = options.testClock ?? { nowMs: () => Date.now() };
    const apply = (id: string, dayStartMs: number, used: number) => this.keepSeed(id, dayStartMs, used);
    this.seeds = new DaySeeds({ ...options, clock, waitMs: SEED_WAIT_MS, apply });
  }

  decide(subject: Subject): Promise<Decision> {
    return new Promise((resolve, reject) => this.enqueue(subject).requests.push({ resolve, reject }));
  }

  peek(subject: Subject): Promise<Decision> {
    return new Promise((resolve, reject) => this.enqueue(subject).peeks.push({ resolve, reject }));
  }

  /** Rejects unless decisions can be taken, and written, where this subject's are. Charges nobody. */
  async probe(subjectId: string): Promise<void> {
    const probe = {
      id: subjectId,
      perMinute: 1_000_000,
      perDay: null,
      canBeBanned: false,
      ban: null,
      forgivenAtMs: 0,
    };
    const waiting: Waiting = { subject: probe, requests: [], peeks: [], isSeeded: false };
    await this.ask([`${this.keyOf(subjectId)}:probe`], this.argumentsOf(waiting, 1));
  }

  close(): void {
    // The connection belongs to whoever opened it; nothing else is held.
  }

  private enqueue(subject: Subject): Waiting {
    if (this.waiting.size === 0) setImmediate(() => this.flush());
    let waiting = this.waiting.get(subject.id);
    if (!waiting) {
      waiting = { subject, requests: [], peeks: [], isSeeded: false };
      this.waiting.set(subject.id, waiting);
    }
    // The newest knows of the newest limits.
    waiting.subject = subject;
    return waiting;
  }

  private flush(): void {
    const all = [...this.waiting.values()];
    this.waiting = new Map();
    const perCall = this.redis.isCluster ? 1 : SUBJECTS_PER_CALL;
    for (let at = 0; at < all.length; at += perCall) void this.send(all.slice(at, at + perCall));
  }

  private async send(batch: Waiting[]): Promise<void> {
    try {
      const keys = batch.map((waiting) => this.keyOf(waiting.subject.id));
      const perSubject = batch.flatMap((waiting) => this.argumentsOf(waiting));
      const reply = await this.ask(keys, perSubject);
      if (reply.length !== 1 + batch.length * ANSWERS_PER_SUBJECT)
        throw new Error('Redis gave an unknown answer');
      batch.forEach((waiting, index) => this.settle(waiting, reply, 1 + index * ANSWERS_PER_SUBJECT));
    } catch (error) {
      for (const { requests, peeks } of batch)
        [...requests, ...peeks].forEach((waiter) => waiter.reject(error));
    }
  }

  private settle(waiting: Waiting, reply: unknown[], at: number): void {
    const { subject, requests, peeks } = waiting;
    const [
      isAbsent,
      admitted,
      refused,
      minuteStartMs,
      minuteUsed,
      dayStartMs,
      dayUsed,
      bannedUntil,
      lastedMs,
      isUnseeded,
    ] = reply.slice(at, at + ANSWERS_PER_SUBJECT).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const broken = String(reply[at + ANSWERS_PER_SUBJECT - 1]);
    if (broken !== '') this.options.onBroken?.(subject.id, broken);
    if (isAbsent === 1) {
      void this.seedAndSend(waiting, dayStartMs);
      return;
    }
    if (isUnseeded === 1) this.seeds.retry(subject.id, dayStartMs);
    const tally: Tally = {
      nowMs: Number(reply[0]),
      minuteStartMs,
      minuteUsed,
      dayStartMs,
      dayUsed,
      admitted,
      refused,
      bannedUntilMs: bannedUntil === 0 ? null : bannedUntil,
      startedBan: lastedMs === 0 ? null : { untilMs: bannedUntil, lastedMs },
    };
    requests.forEach((waiter, index) => waiter.resolve(decisionOf(subject, tally, index)));
    peeks.forEach((waiter) => waiter.resolve(peekOf(subject, tally)));
  }

  /** Nobody was counted yet: the day begins with what usage recorded, read once for all who wait. */
  private async seedAndSend(waiting: Waiting, dayStartMs: number): Promise<void> {
    await this.seeds.load(waiting.subject.id, dayStartMs);
    await this.send([{ ...waiting, isSeeded: true }]);
  }

  private keepSeed(id: string, dayStartMs: number, used: number): void {
    if (this.known.size >= MAX_LATE_SEEDS) this.known.clear();
    this.known.set(id, { dayStartMs, used });
  }

  private keyOf(subjectId: string): string {
    return `${this.options.keyPrefix ?? 'rate-limit:'}{${subjectId}}`;
  }

  private argumentsOf(waiting: Waiting, wanted = waiting.requests.length): (string | number)[] {
    const { id, perMinute, perDay } = waiting.subject;
    const known = this.known.get(id);
    if (known) this.known.delete(id);
    const unknown = !this.seeds.isOn ? SEED_OFF : waiting.isSeeded ? SEED_FAILED : SEED_ASK_ME;
    const seed = known ? `${known.dayStartMs} ${known.used}` : unknown;
    return [wanted, perMinute, perDay ?? -1, pastOf(waiting.subject), seed];
  }

  private ask(keys: string[], perSubject: (string | number)[]): Promise<unknown[]> {
    return withinDeadline(this.run(keys, perSubject), this.options.replyWithinMs);
  }

  private async run(keys: string[], perSubject: (string | number)[]): Promise<unknown[]> {
    const parts = [keys.length, ...keys, this.options.testClock?.nowMs() ?? 0, ...perSubject] as const;
    try {
      return (await this.redis.evalsha(DECIDE_SCRIPT_SHA, ...parts)) as unknown[];
    } catch (error) {
      // A restart, a failover or a flush of scripts: sent whole once, Redis knows it again.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await this.redis.eval(DECIDE_SCRIPT, ...parts)) as unknown[];
    }
  }
}

function pastOf({ canBeBanned, ban, forgivenAtMs }: Subject): string {
  if (!canBeBanned) return PAST_NEVER_BANNED;
  if (!ban && forgivenAtMs === 0) return PAST_CLEAN;
  // Whatever stands in the row, the script reads whole numbers.
  return [ban?.untilMs ?? 0, ban?.lastedMs ?? 0, forgivenAtMs]
    .map((ms) => Math.max(0, Math.round(ms) || 0))
    .join(' ');
}
