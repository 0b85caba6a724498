import { onceRouted, text, type ResponseHeader } from '../platform/http/responses/response-headers.js';
import { WINDOW_MS, type Decision, type WindowState } from './decision.js';
import { COUNT, UNIX_SECONDS } from './dto/rate-limit.dto.js';

/*
 * The headers of a decision. A window ends on a whole second, so `Reset` is exact; the end of a ban is rounded up. Delays
 * are rounded up and at least 1 s, so a caller who waits that long finds a new window.
 *
 * During a ban every window shows r=0, and its t is the delay until that window lets a request through: the end of the ban
 * or, for a window that is exhausted for longer, the end of the window. `Retry-After` is the longest t of windows at r=0.
 */

/** The headers of every response that shows a decision; rate-limit.errors.ts adds `Retry-After` to a 429. */
export const LIMIT_HEADERS: readonly (ResponseHeader & { valueFor: (decision: Decision) => string })[] = [
  {
    name: 'X-RateLimit-Limit',
    description: 'The limit of the tightest window.',
    schema: COUNT,
    example: 60,
    on: onceRouted,
    valueFor: (decision) => String(tightestOf(decision).limit),
  },
  {
    name: 'X-RateLimit-Remaining',
    description: 'Requests left in that window.',
    schema: COUNT,
    example: 59,
    on: onceRouted,
    valueFor: (decision) => String(remainingOf(tightestOf(decision), decision)),
  },
  {
    name: 'X-RateLimit-Reset',
    description: 'When that window ends, in Unix seconds.',
    schema: UNIX_SECONDS,
    example: 1_795_132_860,
    on: onceRouted,
    valueFor: (decision) => {
      const { bannedUntilMs } = decision;
      const resetAtMs = bannedUntilMs === null ? tightestOf(decision).resetAtMs : passesAgainAtMs(decision);
      return String(Math.ceil(resetAtMs / 1000));
    },
  },
  {
    name: 'RateLimit-Policy',
    description: 'The quota and the seconds of every window.',
    schema: text(128),
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
    on: onceRouted,
    valueFor: (decision) => listOf(policyItem, decision),
  },
  {
    name: 'RateLimit',
    description: 'What is left of every window, and the seconds until it resets.',
    schema: text(128),
    example: '"minute";r=59;t=42, "day";r=999;t=51234',
    on: onceRouted,
    valueFor: (decision) => listOf(stateItem, decision),
  },
];

/** The values of LIMIT_HEADERS by their names. */
export function limitHeaders(decision: Decision): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, valueFor } of LIMIT_HEADERS) headers[name] = valueFor(decision);
  return headers;
}

/** Whole seconds after which a request passes, unless other requests use up the key meanwhile. */
export function retryAfterSeconds(decision: Decision): number {
  return secondsUntil(passesAgainAtMs(decision), decision);
}

/** The window with the fewest requests left, of equal ones the longer. */
function tightestOf({ windows: [minute, day] }: Decision): WindowState {
  return day && day.remaining <= minute.remaining ? day : minute;
}

function passesAgainAtMs({ windows, bannedUntilMs }: Decision): number {
  const exhausted = windows.filter((window) => window.remaining === 0);
  return Math.max(bannedUntilMs ?? 0, ...exhausted.map((window) => window.resetAtMs));
}

function remainingOf(window: WindowState, { bannedUntilMs }: Decision): number {
  return bannedUntilMs === null ? window.remaining : 0;
}

function listOf(item: (window: WindowState, decision: Decision) => string, decision: Decision): string {
  const [minute, day] = decision.windows;
  return day ? `${item(minute, decision)}, ${item(day, decision)}` : item(minute, decision);
}

function policyItem({ name, limit }: WindowState): string {
  return `"${name}";q=${limit};w=${WINDOW_MS[name] / 1000}`;
}

function stateItem(window: WindowState, decision: Decision): string {
  const { bannedUntilMs } = decision;
  // A window with room waits for nothing but the ban.
  const endMs = bannedUntilMs !== null && window.remaining > 0 ? 0 : window.resetAtMs;
  const seconds = secondsUntil(Math.max(bannedUntilMs ?? 0, endMs), decision);
  return `"${window.name}";r=${remainingOf(window, decision)};t=${seconds}`;
}

function secondsUntil(atMs: number, { nowMs }: Decision): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1000));
}
