import { readFileSync } from 'node:fs';
import type { Cluster, Redis, Result } from 'ioredis';
import { type Subject, RULES, windowsOf } from '../decision.js';
import type { Ask, LoadDailyCount, SharedCounters, SharedReply } from './counters.js';

/** What decide.lua returns. */
type Reply = [
  outcome: SharedReply['outcome'] | 'count missing',
  nowMs: number,
  minuteStartMs: number,
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
  bannedUntilMs: number,
  startedBanMs: number,
  granted: number,
  allowancesUntilMs: number,
];

declare module 'ioredis' {
  // The type parameter has the name that ioredis gives it.
  interface RedisCommander<Context> {
    decideLimits(key: string, ...args: number[]): Result<Reply, Context>;
  }
}

const SCRIPT = [
  ...Object.entries(RULES).map(([name, value]) => `local ${name} = ${value}`),
  readFileSync(new URL('./decide.lua', import.meta.url), 'utf8'),
].join('\n');

/** Leaves the rest of the 100 ms that a decision may take to everything else. */
const REPLY_WITHIN_MS = 90;

/**
 * The counters that all replicas share: one call of decide.lua for a decision. ioredis writes the calls of one turn of the event
 * loop together. Rejects when Redis fails; a late reply is dropped.
 */
export class RedisCounters implements SharedCounters {
  /** `testClock`: by default the clock of Redis decides. */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly loadDailyCount: LoadDailyCount,
    private readonly replyWithinMs = REPLY_WITHIN_MS,
    private readonly testClock?: { nowMs(): number },
  ) {
    // ioredis sends the script to each node once, and again after the node has lost it.
    redis.defineCommand('decideLimits', { lua: SCRIPT, numberOfKeys: 1 });
  }

  async decide(subject: Subject, ask: Ask): Promise<SharedReply> {
    let reply = await this.call(subject, ask, 0, 0);
    // Another day may begin while the count is loaded.
    while (reply[0] === 'count missing') {
      const dayStartMs = reply[4];
      reply = await this.call(subject, ask, dayStartMs, await this.loadDailyCount(subject.id, dayStartMs));
    }
    const [outcome, nowMs, minuteStartMs, minuteUsed, dayStartMs, dayUsed, untilMs, startedBanMs] = reply;
    return {
      outcome,
      nowMs,
      windows: windowsOf(subject, minuteStartMs, minuteUsed, dayStartMs, dayUsed),
      bannedUntilMs: untilMs === 0 ? null : untilMs,
      startedBan: startedBanMs === 0 ? null : { untilMs, durationMs: startedBanMs },
      granted: reply[8],
      allowancesUntilMs: reply[9],
    };
  }

  private async call(subject: Subject, ask: Ask, dayStartMs: number, dayCount: number): Promise<Reply> {
    const { redis } = this;
    // A Cluster without nodes would keep the call until it finds them again.
    if (redis.status !== 'ready') throw new Error(`Redis is not connected: ${redis.status}`);
    const { id, perMinute, perDay, ban, penaltiesResetAtMs } = subject;
    const { cost, want, returned, mayWait } = ask;
    const reply = redis.decideLimits(
      `rate-limit:{${perDay === null ? 'address' : 'key'}:${id}}`,
      this.testClock?.nowMs() ?? 0,
      cost,
      perMinute,
      perDay ?? -1,
      ban?.untilMs ?? 0,
      ban?.durationMs ?? 0,
      penaltiesResetAtMs,
      dayStartMs,
      dayCount,
      want,
      returned?.windows[0].resetAtMs ?? 0,
      returned?.windows[1]?.resetAtMs ?? 0,
      returned?.count ?? 0,
      mayWait ? 1 : 0,
    );
    return withinDeadline(reply, this.replyWithinMs);
  }
}

/**
 * The reply, or a rejection when it does not arrive in time. Gives up one turn of the event loop after the time is over: while
 * this process stalled, the reply may have arrived and waits in the socket.
 */
export function withinDeadline<T>(reply: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`Redis did not answer within ${withinMs} ms`));
    const timer = setTimeout(() => setImmediate(late), withinMs);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
