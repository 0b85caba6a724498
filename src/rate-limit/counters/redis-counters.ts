import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Cluster, Command, type Redis, type Result } from 'ioredis';
import { DAY_MS, MINUTE_MS } from '../../platform/common/time.js';
import {
  type Decision,
  type Subject,
  BACKWARD_STEP_MS,
  BAN_MEMORY_MS,
  FIRST_BAN_MS,
  LONGEST_BAN_MS,
  REFUSALS_PER_LIMIT,
  REFUSAL_WINDOW_MS,
  subjectOfAddress,
  windowsOf,
} from '../decision.js';
import { Counters, type LoadDailyCount } from './counters.js';
import { withinDeadline } from './redis-client.js';

declare module 'ioredis' {
  // The type parameter has the name that ioredis gives it.
  interface RedisCommander<Context> {
    decideLimits(keys: number, ...args: (string | number)[]): Result<unknown[], Context>;
  }
}

/** The names in capitals that decide.lua uses. */
const CONSTANTS = {
  MINUTE_MS,
  DAY_MS,
  HOUR_MS: 3_600_000,
  BACKWARD_STEP_MS,
  REFUSAL_WINDOW_MS,
  REFUSALS_PER_LIMIT,
  FIRST_BAN_MS,
  LONGEST_BAN_MS,
  BAN_MEMORY_MS,
};

const SCRIPT = [
  ...Object.entries(CONSTANTS).map(([name, value]) => `local ${name} = ${value}`),
  readFileSync(new URL('./decide.lua', import.meta.url), 'utf8'),
].join('\n');

const REPLY_FIELDS = 9;
/** A script blocks Redis while it runs; this many requests take well under a millisecond. */
const REQUESTS_PER_CALL = 100;

interface Request {
  key: string;
  subject: Subject;
  cost: 0 | 1;
  /** "dayStartMs count" before the first decision of a key; undefined: not known yet. */
  initialCount?: string;
}

/** A decision, or the day whose initial count the script needs to decide. */
type Answer = Decision | { missingDayMs: number };

export interface RedisCountersOptions {
  loadDailyCount: LoadDailyCount;
  /** For tests; by default the clock of Redis decides. */
  testClock?: { nowMs(): number };
  /** How long a reply may take; default: as long as a request can wait. */
  replyWithinMs?: number;
}

/**
 * The counters that all replicas share: one round trip for a decision, in decide.lua. Requests that arrive while no call is under
 * way are sent at once; later ones wait for the end of the turn of the event loop and are sent as one call (on a Cluster each
 * alone). Rejects when Redis fails; a late reply is dropped.
 */
export class RedisCounters extends Counters {
  private readonly logger = new Logger('RateLimit');
  private readonly calls: DataLoader<Request, Answer>;
  private callsUnderWay = 0;

  constructor(
    private readonly redis: Redis | Cluster,
    private readonly options: RedisCountersOptions,
  ) {
    super();
    // ioredis sends the script to each node once, and again after the node has lost it.
    redis.defineCommand('decideLimits', { lua: SCRIPT });
    this.calls = new DataLoader((requests) => this.call(requests), {
      cache: false,
      maxBatchSize: redis.isCluster ? 1 : REQUESTS_PER_CALL,
      batchScheduleFn: (send) => (this.callsUnderWay === 0 ? process.nextTick(send) : setImmediate(send)),
    });
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    const request = { key: keyOf(subject), subject, cost };
    let answer = await this.calls.load(request);
    // Another day may begin while the count is loaded.
    while ('missingDayMs' in answer) {
      const count = await this.options.loadDailyCount(subject.id, answer.missingDayMs);
      answer = await this.calls.load({ ...request, initialCount: `${answer.missingDayMs} ${count}` });
    }
    return answer;
  }

  /** The node that holds this subject's counters; empty without a Cluster. A node fails by itself. */
  shardOf(subject: Subject): string {
    if (!(this.redis instanceof Cluster)) return '';
    const slot = new Command('get', [keyOf(subject)]).getSlot();
    return this.redis.slots[slot]?.[0] ?? '';
  }

  /** Rejects unless the node of this subject takes and stores decisions. Uses a key of its own, so that it charges no caller. */
  async probe(subject: Subject): Promise<void> {
    await this.call([{ key: `${keyOf(subject)}:probe`, subject: subjectOfAddress('', 1_000_000), cost: 1 }]);
  }

  /** Decides these requests in one round trip, those of one subject together. On a Cluster all keys must be in one slot. */
  private async call(requests: readonly Request[]): Promise<Answer[]> {
    // A Cluster without nodes would keep the call until it finds them again.
    if (this.redis.status !== 'ready') throw new Error(`Redis is not connected: ${this.redis.status}`);
    const groups = [...Map.groupBy(requests, ({ key, cost }) => `${cost} ${key}`).values()];
    const keys = groups.map(([first]) => first?.key ?? '');
    const nowMs = this.options.testClock?.nowMs() ?? 0;
    this.callsUnderWay += 1;
    const pending = this.redis.decideLimits(keys.length, ...keys, nowMs, ...groups.flatMap(argumentsOf));
    const reply = await withinDeadline(pending, this.options.replyWithinMs).finally(() => {
      this.callsUnderWay -= 1;
    });
    const numbers = reply.map(Number);
    if (numbers.length !== 1 + groups.length * REPLY_FIELDS) throw new Error('Redis gave an unknown reply');
    const answers = new Map<Request, Answer>();
    groups.forEach((group, at) => {
      const fields = numbers.slice(1 + at * REPLY_FIELDS, 1 + (at + 1) * REPLY_FIELDS);
      if (fields[8] === 1)
        this.logger.warn({ key: keys[at] }, 'dropped a foreign or broken counter in Redis');
      group.forEach((request, index) => {
        answers.set(request, answerOf(request.subject, numbers[0] ?? 0, fields, index));
      });
    });
    return requests.flatMap((request) => answers.get(request) ?? []);
  }
}

function keyOf({ id, perDay }: Subject): string {
  return `rate-limit:{${perDay === null ? 'address' : 'key'}:${id}}`;
}

function argumentsOf(group: readonly Request[]): (string | number)[] {
  // The newest request knows the newest limits.
  const newest = group.at(-1);
  if (!newest) return [];
  const { cost, subject, initialCount = '' } = newest;
  const { perMinute, perDay, ban, penaltiesResetAtMs } = subject;
  const hasPenalties = ban !== null || penaltiesResetAtMs > 0;
  const penalties = hasPenalties ? `${ban?.untilMs ?? 0} ${ban?.durationMs ?? 0} ${penaltiesResetAtMs}` : '';
  return [cost * group.length, perMinute, perDay ?? -1, penalties, initialCount];
}

/** What the script decided for request number `index` of a subject, in the order of arrival. */
function answerOf(subject: Subject, nowMs: number, fields: number[], index: number): Answer {
  const [admitted, refused, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, startedBanMs] =
    fields as [number, number, number, number, number, number, number, number];
  if (admitted < 0) return { missingDayMs: dayStartMs };
  // The reply has the counts after the last request; an earlier one saw fewer.
  const later = Math.max(0, admitted - 1 - index);
  const isBanned = index >= admitted + refused;
  const startsBan = startedBanMs > 0 && index === admitted + refused;
  return {
    outcome: index < admitted ? 'admitted' : isBanned ? 'banned' : 'refused',
    nowMs,
    windows: windowsOf(subject, minuteStartMs, minuteUsed - later, dayStartMs, dayUsed - later),
    bannedUntilMs: isBanned ? bannedUntilMs : null,
    startedBan: startsBan ? { untilMs: bannedUntilMs, durationMs: startedBanMs } : null,
  };
}
