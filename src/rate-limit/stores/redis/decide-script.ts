import { readFileSync } from 'node:fs';
import type { Cluster, Redis, Result } from 'ioredis';
import { DAY_MS, MINUTE_MS } from '../../../common/time.js';
import {
  type Subject,
  type Tally,
  BACKWARD_STEP_MS,
  BAN_MEMORY_MS,
  FIRST_BAN_MS,
  LONGEST_BAN_MS,
  REFUSALS_PER_LIMIT,
  REFUSAL_WINDOW_MS,
} from '../../decision.js';

declare module 'ioredis' {
  // The type parameter has the name that ioredis gives it.
  interface RedisCommander<Context> {
    decideLimits(keys: number, ...args: (string | number)[]): Result<unknown[], Context>;
  }
}

const NO_PENALTIES = 'none';

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
  // The largest limit of a key, and the refusals that go with it.
  MAX_COUNT: 2_147_483_647 * REFUSALS_PER_LIMIT,
  NO_PENALTIES,
} as const;

const SCRIPT = [
  ...Object.entries(CONSTANTS).map(([name, value]) => `local ${name} = ${JSON.stringify(value)}`),
  readFileSync(new URL('./decide.lua', import.meta.url), 'utf8'),
].join('\n');

const REPLY_FIELDS = 10;

/** Several requests of one subject; `wanted` 0 only reads. */
export interface ScriptRequest {
  /** The Redis key of the subject. */
  key: string;
  subject: Subject;
  wanted: number;
  /** Today's count of a key before its first decision; undefined: not known yet. */
  initialCount?: { dayStartMs: number; count: number } | undefined;
}

export interface ScriptAnswer {
  /** Nothing was decided: the script needs the initial count of the day. */
  isCountMissing: boolean;
  /** Names of fields that were broken and are deleted; `type`: the whole value. Empty: none. */
  broken: string;
  tally: Tally;
}

/** Makes runDecideScript available. ioredis sends the script to each node once, and again after the node has lost it. */
export function defineDecideScript(redis: Redis | Cluster): void {
  redis.defineCommand('decideLimits', { lua: SCRIPT });
}

/**
 * Runs decide.lua for these subjects in one round trip. On a Cluster all keys must be in one slot.
 * `nowMs` 0: the clock of Redis decides.
 */
export async function runDecideScript(
  redis: Redis | Cluster,
  nowMs: number,
  requests: readonly ScriptRequest[],
): Promise<ScriptAnswer[]> {
  const keys = requests.map(({ key }) => key);
  const reply = await redis.decideLimits(requests.length, ...keys, nowMs, ...requests.flatMap(argumentsOf));
  if (reply.length !== 1 + requests.length * REPLY_FIELDS) throw new Error('Redis gave an unknown reply');
  return requests.map((_, index) => answerAt(reply, 1 + index * REPLY_FIELDS));
}

function argumentsOf({ subject, wanted, initialCount }: ScriptRequest): (string | number)[] {
  const count = initialCount ? `${initialCount.dayStartMs} ${initialCount.count}` : '';
  return [wanted, subject.perMinute, subject.perDay ?? -1, penaltiesOf(subject), count];
}

function penaltiesOf({ ban, penaltiesResetAtMs }: Subject): string {
  if (!ban && penaltiesResetAtMs === 0) return NO_PENALTIES;
  // The script reads whole numbers only, and the row may hold fractions.
  return [ban?.untilMs ?? 0, ban?.durationMs ?? 0, penaltiesResetAtMs]
    .map((ms) => Math.max(0, Math.round(ms) || 0))
    .join(' ');
}

function answerAt(reply: unknown[], at: number): ScriptAnswer {
  const number = (offset: number) => Number(reply[at + offset]);
  const bannedUntilMs = number(7);
  const startedBanDurationMs = number(8);
  return {
    isCountMissing: number(0) === 1,
    broken: String(reply[at + 9]),
    tally: {
      nowMs: Number(reply[0]),
      admitted: number(1),
      refused: number(2),
      minuteStartMs: number(3),
      minuteUsed: number(4),
      dayStartMs: number(5),
      dayUsed: number(6),
      bannedUntilMs: bannedUntilMs === 0 ? null : bannedUntilMs,
      startedBan:
        startedBanDurationMs === 0 ? null : { untilMs: bannedUntilMs, durationMs: startedBanDurationMs },
    },
  };
}
