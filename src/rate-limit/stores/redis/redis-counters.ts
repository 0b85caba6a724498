import { Cluster, Command, type Redis } from 'ioredis';
import {
  decisionOf,
  peekOf,
  subjectOfAddress,
  type Decision,
  type Subject,
  type Tally,
} from '../../decision.js';
import { type Counters, type DailyCountOptions, DailyCountLoader } from '../counters.js';
import {
  defineDecideScript,
  runDecideScript,
  type ScriptAnswer,
  type ScriptRequest,
} from './decide-script.js';
import { withinDeadline } from './redis-client.js';

/** A script blocks Redis while it runs; this many subjects take well under a millisecond. */
const SUBJECTS_PER_CALL = 100;

export interface RedisCountersOptions extends DailyCountOptions {
  keyPrefix?: string;
  /** A stored value was broken and is deleted: `what` names its fields, or is `type` for the whole value. */
  onBroken?: (subjectId: string, what: string) => void;
  /** For tests; by default the clock of Redis decides. */
  testClock?: { nowMs(): number };
  /** How long a reply may take; default: as long as a request can wait. */
  replyWithinMs?: number;
}

type Waiter = PromiseWithResolvers<Decision>;

/** The requests of one subject that one call decides. */
interface Batch {
  subject: Subject;
  requests: Waiter[];
  peeks: Waiter[];
  initialCount?: ScriptRequest['initialCount'];
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

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly options: RedisCountersOptions,
  ) {
    defineDecideScript(redis);
    this.loader = new DailyCountLoader(options);
  }

  decide(subject: Subject): Promise<Decision> {
    return this.enqueue(subject, 'requests');
  }

  peek(subject: Subject): Promise<Decision> {
    return this.enqueue(subject, 'peeks');
  }

  /** The node that holds this subject's counters; empty without a Cluster. */
  shardOf(subjectId: string): string {
    if (!(this.redis instanceof Cluster)) return '';
    const slot = new Command('get', [this.keyOf(subjectId)]).getSlot();
    return this.redis.slots[slot]?.[0] ?? '';
  }

  /** Rejects unless the node of this subject takes and stores decisions. Uses a key of its own. */
  async probe(subjectId: string): Promise<void> {
    const subject = subjectOfAddress(subjectId, 1_000_000);
    await this.call([{ key: `${this.keyOf(subjectId)}:probe`, subject, wanted: 1 }]);
  }

  private enqueue(subject: Subject, kind: 'requests' | 'peeks'): Promise<Decision> {
    if (this.waiting.size === 0) {
      if (this.callsUnderWay === 0) process.nextTick(() => this.flush());
      else setImmediate(() => this.flush());
    }
    let batch = this.waiting.get(subject.id);
    if (!batch) {
      batch = { subject, requests: [], peeks: [] };
      this.waiting.set(subject.id, batch);
    }
    // The newest request knows the newest limits.
    batch.subject = subject;
    const waiter = Promise.withResolvers<Decision>();
    batch[kind].push(waiter);
    return waiter.promise;
  }

  private flush(): void {
    const batches = [...this.waiting.values()];
    this.waiting = new Map();
    const perCall = this.redis.isCluster ? 1 : SUBJECTS_PER_CALL;
    for (let at = 0; at < batches.length; at += perCall) void this.send(batches.slice(at, at + perCall));
  }

  /** Settles these batches. Those without a count of the day are sent again with the count that usage has. */
  private async send(batches: Batch[]): Promise<void> {
    this.callsUnderWay += 1;
    try {
      const answers = await this.call(
        batches.map(({ subject, requests, initialCount }) => ({
          key: this.keyOf(subject.id),
          subject,
          wanted: requests.length,
          initialCount,
        })),
      );
      const loading: Promise<Batch>[] = [];
      answers.forEach((answer, index) => {
        const batch = batches[index];
        if (!batch) return;
        if (answer.broken !== '') this.options.onBroken?.(batch.subject.id, answer.broken);
        if (answer.isCountMissing) loading.push(this.loadCount(batch, answer.tally.dayStartMs));
        else settle(batch, answer.tally);
      });
      if (loading.length > 0) await this.send(await Promise.all(loading));
    } catch (error) {
      for (const { requests, peeks } of batches)
        [...requests, ...peeks].forEach((waiter) => waiter.reject(error));
    } finally {
      this.callsUnderWay -= 1;
    }
  }

  private async call(requests: ScriptRequest[]): Promise<ScriptAnswer[]> {
    // A Cluster without nodes would keep the call until it finds them again.
    if (this.redis.status !== 'ready') throw new Error(`Redis is not connected: ${this.redis.status}`);
    const nowMs = this.options.testClock?.nowMs() ?? 0;
    return withinDeadline(runDecideScript(this.redis, nowMs, requests), this.options.replyWithinMs);
  }

  private async loadCount(batch: Batch, dayStartMs: number): Promise<Batch> {
    const count = await this.loader.load(batch.subject.id, dayStartMs);
    return { ...batch, initialCount: { dayStartMs, count } };
  }

  private keyOf(subjectId: string): string {
    return `${this.options.keyPrefix ?? 'rate-limit:'}{${subjectId}}`;
  }
}

function settle({ subject, requests, peeks }: Batch, tally: Tally): void {
  requests.forEach((waiter, index) => waiter.resolve(decisionOf(subject, tally, index)));
  peeks.forEach((waiter) => waiter.resolve(peekOf(subject, tally)));
}
