import type { FastifyReply } from 'fastify';
import { MAX_PLAN_LIMIT } from '../auth/plans.js';
import { onceRouted, textSchema, type ResponseHeader } from '../platform/http/responses/response-headers.js';
import { WINDOW_MS, type Decision, type WindowState } from 'exact-rate-limiter';
import { MAX_UNIX_SECONDS } from './dto/rate-limit.dto.js';

/*
 * The headers of a decision. A window ends on a whole second, so `Reset` is exact; the end of a ban is rounded up. Delays
 * are rounded up and at least 1 s, so a caller who waits that long finds a new window.
 *
 * During a ban every window shows r=0, and its t is the delay until that window lets a request through: the end of the ban
 * or, for a window that is exhausted for longer, the end of the window. `Retry-After` is the longest t of windows at r=0.
 */

const COUNT = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_PLAN_LIMIT };
const UNIX_SECONDS = { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_UNIX_SECONDS };
const POLICIES = '"minute";q=60;w=60, "day";q=1000;w=86400';
const STATES = '"minute";r=59;t=42, "day";r=999;t=51234';

const header = <Name extends string>(
  name: Name,
  description: string,
  schema: ResponseHeader['schema'],
  example: string | number,
) => ({ name, description, schema, example, on: onceRouted }) satisfies ResponseHeader;

const LIMIT = header('X-RateLimit-Limit', 'The limit of the tightest window.', COUNT, 60);
const REMAINING = header('X-RateLimit-Remaining', 'Requests left in that window.', COUNT, 59);
const RESET = header(
  'X-RateLimit-Reset',
  'When that window ends, in Unix seconds.',
  UNIX_SECONDS,
  1_795_132_860,
);
const POLICY = header(
  'RateLimit-Policy',
  'The quota and the seconds of every window.',
  textSchema(128),
  POLICIES,
);
const STATE = header(
  'RateLimit',
  'What is left of every window, and the seconds until it resets.',
  textSchema(128),
  STATES,
);

/** The headers of every response that shows a decision; a 429 also has Retry-After. */
export const DECISION_HEADERS = [LIMIT, REMAINING, RESET, POLICY, STATE] as const;

/** By the names as Fastify keeps them, see keptName. An object with computed names takes longer to make. */
type LimitHeaders = Record<Lowercase<(typeof DECISION_HEADERS)[number]['name']>, string>;

/** What the X-RateLimit headers show: the window with the fewest requests left, of equal ones the longer; during a ban the ban. */
function shownWindow(decision: Decision): Pick<WindowState, 'limit' | 'remaining' | 'resetAtMs'> {
  const [minute, day] = decision.windows as [WindowState, WindowState?];
  // The day never ends before the minute.
  const tightest = day && day.remaining <= minute.remaining ? day : minute;
  if (decision.bannedUntilMs === null) return tightest;
  return { limit: tightest.limit, remaining: 0, resetAtMs: passesAgainAtMs(decision) };
}

/** Whole seconds after which a request passes, unless other requests use up the key meanwhile. */
export function retryAfterSeconds(decision: Decision): number {
  return secondsToGo(passesAgainAtMs(decision), decision.nowMs);
}

/** The headers of every response. rate-limit.errors.ts adds `Retry-After` to a 429. */
export function limitHeaders(decision: Decision): LimitHeaders {
  const shown = shownWindow(decision);
  const [minute, day] = decision.windows as [WindowState, WindowState?];
  const hasDay = day !== undefined;
  return {
    'x-ratelimit-limit': String(shown.limit),
    'x-ratelimit-remaining': String(shown.remaining),
    'x-ratelimit-reset': String(Math.ceil(shown.resetAtMs / 1000)),
    'ratelimit-policy': hasDay ? `${policyItem(minute)}, ${policyItem(day)}` : policyItem(minute),
    ratelimit: hasDay
      ? `${stateItem(minute, decision)}, ${stateItem(day, decision)}`
      : stateItem(minute, decision),
  };
}

/** Whether a decision is on the response. */
export function showsLimits(reply: FastifyReply): boolean {
  return reply.hasHeader('x-ratelimit-limit' satisfies keyof LimitHeaders);
}

function passesAgainAtMs(decision: Decision): number {
  const exhausted = decision.windows.filter((window) => window.remaining === 0);
  return Math.max(decision.bannedUntilMs ?? 0, ...exhausted.map((window) => window.resetAtMs));
}

function policyItem(window: WindowState): string {
  return `"${window.name}";q=${window.limit};w=${WINDOW_MS[window.name] / 1000}`;
}

function stateItem(window: WindowState, decision: Decision): string {
  const seconds = secondsToGo(windowPassesAtMs(window, decision.bannedUntilMs), decision.nowMs);
  const remaining = decision.bannedUntilMs === null ? window.remaining : 0;
  return `"${window.name}";r=${remaining};t=${seconds}`;
}

function windowPassesAtMs({ remaining, resetAtMs }: WindowState, bannedUntilMs: number | null): number {
  return bannedUntilMs !== null && remaining > 0 ? bannedUntilMs : Math.max(bannedUntilMs ?? 0, resetAtMs);
}

function secondsToGo(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1000));
}
