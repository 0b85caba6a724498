import { Cluster, Command, type Redis } from 'ioredis';
import { RecentMap } from '../../../common/recent-map.js';
import { decisionOf, peekOf, type Decision, type Subject } from '../../decision/decision.js';
import type { Counters, DailyCountOptions } from '../counters.js';
import { DailyCountLoader } from '../daily-count-loader.js';
import { runDecideScript, type InitialCount, type ScriptAnswer } from './decide-script.js';
import { withinDeadline } from './redis-client.js';

/** A script blocks Redis while it runs; this many subjects take well under a millisecond. */
const SUBJECTS_PER_CALL = 100;
/** Initial counts that arrived after their request; each is used by the next request of the key. */
const MAX_LATE_COUNTS = 10_000;

export interface RedisCountersOptions extends DailyCountOptions {
  keyPrefix?: string;
  /** A stored value was broken and is deleted: `what` names its fields, or is `type` for the whole value. */
  onBroken?: (subjectId: string, what: string) => void;
  /** For tests; by default the clock of Redis decides. */
  testClock?: { nowMs(): number };
  /** How long a reply may take; default: as long as a request can wait. */
  replyWithinMs?: number;
}

interface Waiter {
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

/** The requests of one subject that one call decides. */
interface Batch {
  subject: Subject;
  requests: Waiter[];
  peeks: Waiter[];
  /** The initial count was loaded, or could not be. */
  wasCountLoaded: boolean;
}

/**
 * The counters that all replicas share. Requests that arrive while no call is under way are sent at once; later ones
 * wait for the end of the turn of the event loop and are sent as one call (on a Cluster one per subject). Rejects when
 * Redis fails; a late reply is dropped.
 */
export class RedisCounters implements Counters {
  private waiting = new Map<string, Batch>();
  private callsUnderWay = 0;
  private readonly loader: DailyCountLoader;
  private readonly lateCounts = new RecentMap<string, { dayStartMs: number; count: number }>(MAX_LATE_COUNTS);

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly options: RedisCountersOptions = {},
  ) {
    const clock = options.testClock ?? { nowMs: () => Date.now() };
    const apply = (id: string, dayStartMs: number, count: number) =>
      this.lateCounts.set(id, { dayStartMs, count });
    this.loader = new DailyCountLoader({ ...options, clock, apply });
  }

  decide(subject: Subject): Promise<Decision> {
    return new Promise((resolve, reject) => this.enqueue(subject).requests.push({ resolve, reject }));
  }

  peek(subject: Subject): Promise<Decision> {
    return new Promise((resolve, reject) => this.enqueue(subject).peeks.push({ resolve, reject }));
  }

  /** The node that holds this subject's counters; empty without a Cluster. */
  shardOf(subjectId: string): string {
    if (!(this.redis instanceof Cluster)) return '';
    const slot = new Command('get', [this.keyOf(subjectId)]).getSlot();
    return this.redis.slots[slot]?.[0] ?? '';
  }

  /** Rejects unless the node of this subject takes and stores decisions. Uses a key of its own. */
  async probe(subjectId: string): Promise<void> {
    const probe: Subject = {
      id: subjectId,
      perMinute: 1_000_000,
      perDay: null,
      canBeBanned: false,
      ban: null,
      penaltiesResetAtMs: 0,
    };
    const key = `${this.keyOf(subjectId)}:probe`;
    await this.call([{ key, subject: probe, wanted: 1, initialCount: 'zero' }]);
  }

  close(): void {
    // The module that opened the connection closes it; nothing else is held.
  }

  private enqueue(subject: Subject): Batch {
    if (this.waiting.size === 0) {
      if (this.callsUnderWay === 0) process.nextTick(() => this.flush());
      else setImmediate(() => this.flush());
    }
    let batch = this.waiting.get(subject.id);
    if (!batch) {
      batch = { subject, requests: [], peeks: [], wasCountLoaded: false };
      this.waiting.set(subject.id, batch);
    }
    // The newest request knows the newest limits.
    batch.subject = subject;
    return batch;
  }

  private flush(): void {
    const batches = [...this.waiting.values()];
    this.waiting = new Map();
    const perCall = this.redis.isCluster ? 1 : SUBJECTS_PER_CALL;
    for (let at = 0; at < batches.length; at += perCall) void this.send(batches.slice(at, at + perCall));
  }

  private async send(batches: Batch[]): Promise<void> {
    this.callsUnderWay += 1;
    try {
      const answers = await this.call(
        batches.map((batch) => ({
          key: this.keyOf(batch.subject.id),
          subject: batch.subject,
          wanted: batch.requests.length,
          initialCount: this.initialCountOf(batch),
        })),
      );
      answers.forEach((answer, index) => {
        const batch = batches[index];
        if (batch) this.settle(batch, answer);
      });
    } catch (error) {
      for (const { requests, peeks } of batches)
        [...requests, ...peeks].forEach((waiter) => waiter.reject(error));
    } finally {
      this.callsUnderWay -= 1;
    }
  }

  private async call(requests: Parameters<typeof runDecideScript>[2]): Promise<ScriptAnswer[]> {
    // A Cluster without nodes would keep the call until it finds them again.
    if (this.redis.status !== 'ready') throw new Error(`Redis is not connected: ${this.redis.status}`);
    const nowMs = this.options.testClock?.nowMs() ?? 0;
    return withinDeadline(runDecideScript(this.redis, nowMs, requests), this.options.replyWithinMs);
  }

  private settle(batch: Batch, { isCountMissing, isCountIncomplete, broken, tally }: ScriptAnswer): void {
    const { subject, requests, peeks } = batch;
    if (broken !== '') this.options.onBroken?.(subject.id, broken);
    if (isCountMissing) {
      void this.loadCountAndRetry(batch, tally.dayStartMs);
      return;
    }
    if (isCountIncomplete) this.loader.retry(subject.id, tally.dayStartMs);
    requests.forEach((waiter, index) => waiter.resolve(decisionOf(subject, tally, index)));
    peeks.forEach((waiter) => waiter.resolve(peekOf(subject, tally)));
  }

  private async loadCountAndRetry({ subject, requests, peeks }: Batch, dayStartMs: number): Promise<void> {
    await this.loader.load(subject.id, dayStartMs);
    // Newer requests that wait for a call know newer limits.
    const batch = this.enqueue(this.waiting.get(subject.id)?.subject ?? subject);
    batch.requests.unshift(...requests);
    batch.peeks.unshift(...peeks);
    batch.wasCountLoaded = true;
  }

  private initialCountOf({ subject: { id }, wasCountLoaded }: Batch): InitialCount {
    const loaded = this.lateCounts.get(id);
    if (loaded) {
      this.lateCounts.delete(id);
      return loaded;
    }
    if (!this.loader.isOn) return 'zero';
    return wasCountLoaded ? 'failed' : 'unknown';
  }

  private keyOf(subjectId: string): string {
    return `${this.options.keyPrefix ?? 'rate-limit:'}{${subjectId}}`;
  }
}
