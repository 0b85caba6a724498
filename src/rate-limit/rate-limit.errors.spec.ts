import { expect, it } from '@jest/globals';
import type { Decision } from 'exact-rate-limiter';
import { LIMIT_ERRORS, refusal } from './rate-limit.errors.js';

const REFUSED: Decision = {
  outcome: 'refused',
  source: 'memory',
  nowMs: 18_000,
  windows: [{ name: 'minute', limit: 60, used: 60, remaining: 0, resetAtMs: 60_000 }],
  bannedUntilMs: null,
  startedBan: null,
};

it.each([
  ['rate_limit_exceeded', REFUSED],
  ['api_key_banned', { ...REFUSED, outcome: 'banned', bannedUntilMs: 618_000 }],
] as const)('%s has the message of its example', (code, decision) => {
  expect(refusal(decision).message).toBe(LIMIT_ERRORS[code].example);
});
