import { readFileSync } from 'node:fs';
import { Cluster, type Redis, type Result } from 'ioredis';
import type { LoadDailyCount } from '../daily-count.js';
import { withinDeadline } from '../deadline.js';
import { type Outcome, type Subject, windowsOf } from '../decision.js';
import type { Logger } from '../logger.js';
import {
  BACKWARD_STEP_MS,
  BAN_MEMORY_MS,
  FIRST_BAN_MS,
  LATER_WINDOW_MS,
  LONGEST_BAN_MS,
  REFUSALS_PER_LIMIT,
  REFUSAL_WINDOW_MS,
} from '../rules.js';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.js';
import {
  ALLOWANCE_MS,
  type Ask,
  ROOM_FACTOR,
  type SharedCounters,
  type SharedReply,
} from './shared-counters.js';

declare module 'ioredis' {
  // The type parameter has the name that ioredis gives it.
  interface RedisCommander<Context> {
    decideLimits(key: string, ...args: (string | number)[]): Result<unknown[], Context>;
  }
}

const COUNT_MISSING = -1;
/** The outcomes of decide.lua by their number. */
const OUTCOMES: (Outcome | 'wait')[] = ['refused', 'admitted', 'banned', 'wait'];

/** The names in capitals that decide.lua uses. */
const CONSTANTS = {
  MINUTE_MS,
  DAY_MS,
  HOUR_MS,
  BACKWARD_STEP_MS,
  LATER_WINDOW_MS,
  REFUSAL_WINDOW_MS,
  REFUSALS_PER_LIMIT,
  FIRST_BAN_MS,
  LONGEST_BAN_MS,
  BAN_MEMORY_MS,
  ALLOWANCE_MS,
  ROOM_FACTOR,
  COUNT_MISSING,
  REFUSED: OUTCOMES.indexOf('refused'),
  ADMITTED: OUTCOMES.indexOf('admitted'),
  BANNED: OUTCOMES.indexOf('banned'),
  WAIT: OUTCOMES.indexOf('wait'),
};

const SCRIPT = [
  ...Object.entries(CONSTANTS).map(([name, value]) => `local ${name} = ${value}`),
  readFileSync(new URL('./decide.lua', import.meta.url), 'utf8'),
].join('\n');

/** Leaves the rest of the 100 ms that a decision may take to everything else. */
const REPLY_WITHIN_MS = 90;

type Reply = [
  nowMs: number,
  outcome: number,
  minuteStartMs: number,
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
  bannedUntilMs: number,
  startedBanMs: number,
  granted: number,
  allowancesUntilMs: number,
  wasForeign: number,
];

export interface RedisCountersOptions {
  loadDailyCount: LoadDailyCount;
  logger: Logger;
  /** For tests; by default the clock of Redis decides. */
  testClock?: Pick<Clock, 'nowMs'>;
  replyWithinMs?: number;
}

/**
 * The counters that all replicas share: one call of decide.lua for a decision. Rejects when Redis fails; a late reply is dropped.
 */
export class RedisCounters implements SharedCounters {
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly options: RedisCountersOptions,
  ) {
    // ioredis sends the script to each node once, and again after the node has lost it.
    redis.defineCommand('decideLimits', { lua: SCRIPT, numberOfKeys: 1 });
  }

  async decide(subject: Subject, ask: Ask): Promise<SharedReply> {
    let reply = await this.call(subject, ask, '');
    // Another day may begin while the count is loaded.
    while (reply[1] === COUNT_MISSING) {
      const dayStartMs = reply[4];
      const count = await this.options.loadDailyCount(subject.id, dayStartMs);
      reply = await this.call(subject, ask, `${dayStartMs} ${count}`);
    }
    return replyOf(subject, reply);
  }

  private async call(subject: Subject, ask: Ask, initialCount: string): Promise<Reply> {
    const { redis, options } = this;
    // A Cluster without nodes would keep the call until it finds them again.
    if (redis.status !== 'ready') throw new Error(`Redis is not connected: ${redis.status}`);
    const { id, perMinute, perDay, ban = null, penaltiesResetAtMs = 0 } = subject;
    const key = `rate-limit:{${perDay === null ? 'address' : 'key'}:${id}}`;
    const hasPenalties = ban !== null || penaltiesResetAtMs > 0;
    const { returned } = ask;
    corkUntilTurnEnds(redis);
    const pending = redis.decideLimits(
      key,
      options.testClock?.nowMs() ?? 0,
      ask.cost,
      perMinute,
      perDay ?? -1,
      hasPenalties ? `${ban?.untilMs ?? 0} ${ban?.durationMs ?? 0} ${penaltiesResetAtMs}` : '',
      initialCount,
      ask.want,
      returned ? `${returned.minuteStartMs} ${returned.dayStartMs} ${returned.count}` : '',
      ask.mayWait ? 1 : 0,
    );
    const reply = await withinDeadline(pending, options.replyWithinMs ?? REPLY_WITHIN_MS);
    if (reply[10] === 1) options.logger.warn({ key }, 'dropped a foreign or broken counter in Redis');
    return reply as Reply;
  }
}

/**
 * Sends the calls of one turn of the event loop in one write, because a write costs this process and Redis more than a command. Not on a
 * Cluster, which spreads the calls over its nodes.
 */
function corkUntilTurnEnds(redis: Redis | Cluster): void {
  if (redis instanceof Cluster) return;
  const { stream } = redis;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

function replyOf(subject: Subject, reply: Reply): SharedReply {
  const [nowMs, outcome, minuteStartMs, minuteUsed, dayStartMs, dayUsed, untilMs, startedBanMs] = reply;
  const name = OUTCOMES[outcome];
  if (name === undefined) throw new Error('Redis gave an unknown reply');
  return {
    outcome: name,
    nowMs,
    windows: windowsOf(subject, minuteStartMs, minuteUsed, dayStartMs, dayUsed),
    bannedUntilMs: untilMs === 0 ? null : untilMs,
    startedBan: startedBanMs === 0 ? null : { untilMs, durationMs: startedBanMs },
    granted: reply[8],
    allowancesUntilMs: reply[9],
  };
}
