import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { invalidApiKey, missingApiKey } from '../auth/auth.errors.js';
import { internalError, overloaded } from '../platform/common/errors/common.errors.js';
import type { Config } from '../platform/config/config.js';
import { DatabaseUnavailableError } from '../platform/database/database.errors.js';
import type { Decision } from './decision.js';
import { PlanThrottlerGuard } from './plan-throttler.guard.js';
import type { RateLimitService } from './rate-limit.service.js';

const DECISION: Decision = {
  outcome: 'admitted',
  source: 'memory',
  nowMs: 18_000,
  windows: [{ name: 'minute', limit: 300, used: 1, remaining: 299, resetAtMs: 60_000 }],
  bannedUntilMs: null,
  startedBan: null,
};

it.each([
  ['counts a request without a key', missingApiKey(), 'decide'],
  ['counts a request with an unknown key', invalidApiKey(), 'decide'],
  ['counts a request whose key look-up fails', internalError(new Error('wrong')), 'decide'],
  ['counts a request whose key look-up is refused as overload', overloaded(), 'decide'],
  ['shows the limits without counting while the database is away', new DatabaseUnavailableError(), 'peek'],
])('%s', async (_what, refusal, expected) => {
  const calls: string[] = [];
  const take = (name: string) => {
    calls.push(name);
    return Promise.resolve(DECISION);
  };
  const limits = { decide: () => take('decide'), peek: () => take('peek') };
  const shown: Record<string, string>[] = [];
  const request = { route: { scope: 'api' }, caller: { key: undefined, refusal }, ip: '192.0.2.1' };
  const reply = { headers: (headers: Record<string, string>) => shown.push(headers) };
  const context = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) };
  const guard = new PlanThrottlerGuard(
    [],
    new ThrottlerStorageService(),
    new Reflector(),
    limits as unknown as RateLimitService,
    { anonymousPerMinute: 300 } as Config,
    null,
  );
  expect(await guard.canActivate(context as unknown as ExecutionContext)).toBe(true);
  expect(calls).toEqual([expected]);
  expect(shown).toEqual([expect.objectContaining({ 'X-RateLimit-Remaining': '299' })]);
});
