import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SkipThrottle, ThrottlerStorageService } from '@nestjs/throttler';
import { invalidApiKey, missingApiKey } from '../auth/auth.errors.js';
import type { Caller } from '../auth/caller.js';
import type { CallerKey } from '../auth/caller-key.js';
import { internalError, overloaded } from '../platform/common/errors/common.errors.js';
import { DatabaseUnavailableError } from '../platform/common/errors/database-errors.js';
import type { Config } from '../platform/config/config.js';
import type { Decision, Subject } from 'exact-rate-limiter';
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
const KEY = { id: 'a key', plan: 'free' } as CallerKey;

class Counted {
  counted(): void {
    return;
  }

  @SkipThrottle()
  free(): void {
    return;
  }
}

@SkipThrottle()
class Free {
  free(): void {
    return;
  }

  @SkipThrottle({ default: false })
  counted(): void {
    return;
  }
}

describe('PlanThrottlerGuard', () => {
  let guard: PlanThrottlerGuard;
  let decided: string[];

  beforeEach(async () => {
    decided = [];
    const decide = ({ id }: Subject) => {
      decided.push(id);
      return Promise.resolve(DECISION);
    };
    guard = new PlanThrottlerGuard(
      [{ limit: 1, ttl: 60_000 }],
      new ThrottlerStorageService(),
      new Reflector(),
      { decide } as unknown as RateLimitService,
      { anonymousPerMinute: 300 } as Config,
      null,
    );
    await guard.onModuleInit();
  });

  /** Sends a request to a handler. Resolves with the headers that the guard puts on the response. */
  async function send(
    controller: typeof Counted | typeof Free,
    handler: 'counted' | 'free',
    caller: Caller,
  ): Promise<Record<string, string>[]> {
    const shown: Record<string, string>[] = [];
    const request = { route: { scope: 'api' }, caller, ip: '192.0.2.1' };
    const reply = { headers: (headers: Record<string, string>) => shown.push(headers) };
    const context = {
      getClass: () => controller,
      getHandler: () => Reflect.get(controller.prototype, handler) as unknown,
      getArgByIndex: (index: number) => [request, reply][index],
    };
    expect(await guard.canActivate(context as unknown as ExecutionContext)).toBe(true);
    return shown;
  }

  it.each([
    ['counts a handler', Counted, 'counted', 1],
    ['counts no handler with @SkipThrottle()', Counted, 'free', 0],
    ['counts no handler of a class with @SkipThrottle()', Free, 'free', 0],
    ['counts a handler that takes back the @SkipThrottle() of its class', Free, 'counted', 1],
  ] as const)('%s, also at simultaneous first calls', async (_, controller, handler, times) => {
    const calls = Array.from({ length: 5 }, () => send(controller, handler, { key: KEY }));
    const shown = (await Promise.all(calls)).flat();
    expect(decided).toEqual(Array<string>(5 * times).fill(KEY.id));
    expect(shown).toEqual(
      Array<unknown>(5 * times).fill(expect.objectContaining({ 'x-ratelimit-remaining': '299' })),
    );
  });

  it.each([
    ['without a key', missingApiKey()],
    ['with an unknown key', invalidApiKey()],
    ['whose key look-up fails', internalError(new Error('wrong'))],
    ['whose key look-up is refused as overload', overloaded()],
  ])('counts a request against its address %s, also of a free operation', async (_, refusal) => {
    await send(Counted, 'free', { key: undefined, refusal });
    await send(Counted, 'counted', { key: undefined, refusal });
    expect(decided).toEqual(['192.0.2.1', '192.0.2.1']);
  });

  it('counts nothing while the database is away', async () => {
    await send(Counted, 'counted', { key: undefined, refusal: new DatabaseUnavailableError() });
    expect(decided).toEqual([]);
  });
});
