import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ExecutionContext, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CapacityGuard } from './capacity.guard.js';

const contextOf = (request: FastifyRequest) =>
  ({ getArgByIndex: () => request }) as unknown as ExecutionContext;

describe('the bound of operations under way', () => {
  let nowMs: number;
  let guard: CapacityGuard;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const onOverload = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  beforeEach(() => {
    nowMs = 0;
    guard = new CapacityGuard();
    jest.clearAllMocks();
  });

  const admit = (operation: string | undefined = 'listPets') => {
    const request = { route: { operation } } as unknown as FastifyRequest;
    guard.canActivate(contextOf(request));
    return request;
  };
  /** Admits operations until one is refused, and resolves with those that are under way. */
  const admitAll = () => {
    const admitted: FastifyRequest[] = [];
    for (;;) {
      try {
        admitted.push(admit());
      } catch (error) {
        expect(error).toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } });
        return admitted;
      }
    }
  };
  /** Answers operations at this pace, each as the next one begins. */
  const answerAt = (paceMs: number, count = 8) => {
    const underWay = Array.from({ length: count }, () => admit());
    for (let answer = 0; answer < 1_000; answer += 1) {
      nowMs += paceMs;
      guard.release(underWay.shift()!, 200);
      underWay.push(admit());
    }
    for (const request of underWay) {
      nowMs += paceMs;
      guard.release(request, 200);
    }
  };

  it('is 128 before the first answer', () => {
    expect(admitAll()).toHaveLength(128);
  });

  it('is not lowered by a few callers of a slow database', () => {
    answerAt(1);
    answerAt(500, 7);
    expect(admitAll().length).toBeGreaterThan(600);
  });

  it.each([
    ['1,000 while answers are quick', 0.1, 1_000],
    ['what is answered within 0.7 s', 10, 70],
    ['32 at any pace', 500, 32],
  ])('is %s', (_, paceMs, expected) => {
    answerAt(paceMs);
    expect(Math.abs(admitAll().length - expected)).toBeLessThan(5);
  });

  it('is not lowered by operations that fail', () => {
    for (let failure = 0; failure < 1_000; failure += 1) {
      const request = admit();
      nowMs += 1_000;
      guard.release(request, 503);
    }
    expect(admitAll()).toHaveLength(128);
  });

  it('takes further operations as soon as others are answered, and counts an answer once', () => {
    const [first] = admitAll();
    nowMs += 700 / 128;
    guard.release(first!, 200);
    guard.release(first!, 200);
    admit();
    expect(() => admit()).toThrow();
  });

  it('holds for operations only, and is logged once a minute', () => {
    admitAll();
    const request = { route: {} } as unknown as FastifyRequest;
    expect(guard.canActivate(contextOf(request))).toBe(true);
    expect(() => admit()).toThrow();
    expect(onOverload).toHaveBeenCalledTimes(1);
    nowMs += 60_000;
    expect(() => admit()).toThrow();
    expect(onOverload).toHaveBeenCalledTimes(2);
  });
});
