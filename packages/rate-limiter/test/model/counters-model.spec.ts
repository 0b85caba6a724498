import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Counters } from '../../src/counters.js';
import type { Decision, Subject } from '../../src/decision.js';
import { MemoryCounters } from '../../src/memory-counters.js';
import { CountersWithAllowances } from '../../src/redis/allowances.js';
import type { SharedCounters } from '../../src/redis/shared-counters.js';
import { BACKWARD_STEP_MS, LONGEST_BAN_MS } from '../../src/rules.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time.js';
import { VirtualTime, timingOf } from '../clocks.js';
import { describeInRedis, inRedis, keySubject, noUsage } from '../stores.js';
import { LOAD_MS, ModelOfShared, simulate } from './replicas.js';
import { Model } from './rules.js';

const NOON_MS = Date.UTC(2026, 10, 20, 12);

type Step =
  | { do: 'request'; who: number; count: number }
  | { do: 'wait'; ms: number }
  | { do: 'turn'; ms: number }
  | { do: 'limits'; who: number; perMinute: number; perDay: number }
  | { do: 'unban'; who: number }
  | { do: 'record' }
  | { do: 'restart' };

const who = fc.integer({ min: 0, max: 1 });
const limits = { perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 1, max: 40 }) };
const waits = [1, 999, 20_000, 59_999, MINUTE_MS, 599_999, 600_000, 1_200_000, 6 * 3_600_000, DAY_MS];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('request'), who, count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('request'), who, count: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(...waits) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limits'), who, ...limits }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unban'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('record') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
);

const jumps = [
  -DAY_MS - HOUR_MS,
  -DAY_MS,
  -HOUR_MS,
  -600_000,
  -60_001,
  -60_000,
  -1,
  HOUR_MS,
  DAY_MS + HOUR_MS,
];
const turn: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('request'), who, count: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(...waits) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turn'), ms: fc.constantFrom(...jumps) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limits'), who, ...limits }) },
);

interface World {
  create: (
    clock: { nowMs(): number },
    loadDailyCount: (id: string, dayStartMs: number) => Promise<number>,
  ) => Counters;
  /** Deletes all data of these subjects, and returns the store to continue with. */
  lose: (counters: Counters, ids: string[], createAgain: () => Counters) => Promise<Counters>;
}

/** Plays a history to the store and to the model, and compares each decision. */
async function play(world: World, startMs: number, steps: readonly Step[]): Promise<void> {
  let nowMs = startMs;
  const models = [new Model(), new Model()];
  const subjects: Subject[] = models.map(() => keySubject({ perMinute: 2, perDay: 20 }));
  const ids = subjects.map((subject) => subject.id);
  const loadDailyCount = (id: string, dayStartMs: number) => {
    return Promise.resolve(models[ids.indexOf(id)]!.recordedOn(dayStartMs));
  };
  const createAgain = () => world.create({ nowMs: () => nowMs }, loadDailyCount);
  const isTurned = steps.some((each) => each.do === 'turn');
  let counters = createAgain();
  for (const each of steps) {
    if (each.do === 'wait' || each.do === 'turn') nowMs += each.ms;
    if (each.do === 'record') models.forEach((model) => model.record());
    if (each.do === 'restart') {
      models.forEach((model) => model.restart());
      counters = await world.lose(counters, ids, createAgain);
    }
    if (each.do === 'limits') {
      const { perMinute, perDay } = each;
      subjects[each.who] = { ...subjects[each.who]!, perMinute, perDay };
    }
    if (each.do === 'unban') {
      // The reset mark of each command is higher than the last one.
      nowMs += 1;
      models[each.who]!.resetPenalties();
      subjects[each.who] = { ...subjects[each.who]!, ban: null, penaltiesResetAtMs: nowMs };
    }
    if (each.do !== 'request') continue;
    const subject = subjects[each.who]!;
    const model = models[each.who]!;
    const { perMinute, perDay } = subject;
    const compare = (decision: Decision, expected: Partial<Decision>) => {
      const whole = {
        ...expected,
        source: decision.source,
        nowMs,
        windows: model.windows(perMinute, perDay ?? 0),
      };
      // expect is slow, so thousands of histories call it only for a difference.
      if (!isDeepStrictEqual({ ...decision }, whole)) expect(decision).toEqual(whole);
    };
    compare(await counters.peek(subject), model.peek(perMinute, perDay ?? 0, nowMs));
    const deciding = Array.from({ length: each.count }, async () => counters.decide(subject));
    for (const decision of await Promise.all(deciding)) {
      compare(decision, model.request(perMinute, perDay ?? 0, nowMs));
      if (decision.startedBan) subjects[each.who] = { ...subject, ban: decision.startedBan };
    }
    // A clock that steps back finds every count in the usage.
    if (isTurned) model.record();
  }
}

function followsTheModel(world: World, runs: number): void {
  it('make the same decisions in random histories', async () => {
    const start = fc.integer({ min: NOON_MS, max: NOON_MS + DAY_MS });
    const steps = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(start, steps, (startMs, each) => play(world, startMs, each)),
      { numRuns: runs },
    );
  }, 240_000);

  it('make the same decisions on a clock that jumps forward and back', async () => {
    const start = fc.integer({ min: NOON_MS, max: NOON_MS + DAY_MS });
    const steps = fc.array(turn, { minLength: 1, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(start, steps, (startMs, each) => play(world, startMs, each)),
      { numRuns: Math.ceil(runs / 2) },
    );
  }, 240_000);

  it('let nothing through twice in a day, nor in the latest minute, on such a clock', async () => {
    const jump = fc.constantFrom(...jumps, ...waits, 0);
    const steps = fc.array(fc.record({ jump, count: fc.integer({ min: 1, max: 12 }) }), { maxLength: 20 });
    const property = fc.asyncProperty(steps, async (history) => {
      let nowMs = NOON_MS;
      let latestMinuteMs = 0;
      const admitted = new Map<string, number>();
      const countOf = (name: string, resetAtMs: number) => admitted.get(`${name} ${resetAtMs}`) ?? 0;
      const load = (_id: string, dayStartMs: number) => Promise.resolve(countOf('day', dayStartMs + DAY_MS));
      const counters = world.create({ nowMs: () => nowMs }, load);
      const subject = keySubject({ perMinute: 4, perDay: 15 });
      for (const { jump: ms, count } of history) {
        nowMs += ms;
        const decisions = await Promise.all(
          Array.from({ length: count }, async () => counters.decide(subject)),
        );
        latestMinuteMs = Math.max(latestMinuteMs, decisions[0]!.windows[0]!.resetAtMs);
        for (const { outcome, windows } of decisions) {
          if (outcome !== 'admitted') continue;
          for (const { name, limit, resetAtMs } of windows) {
            const total = countOf(name, resetAtMs) + 1;
            admitted.set(`${name} ${resetAtMs}`, total);
            // A minute before the latest may be counted again, within its day.
            if (total > limit && (name === 'day' || resetAtMs === latestMinuteMs))
              throw new Error(`${total} in the ${name} that ends at ${resetAtMs}`);
          }
        }
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / 2) });
  }, 240_000);

  it('stay within their bounds on a clock that jumps forward and back', async () => {
    const jump = fc.constantFrom(-2 * DAY_MS, -DAY_MS, -600_000, -60_001, -60_000, -1, 0, 1, ...waits);
    const steps = fc.array(fc.record({ jump, count: fc.integer({ min: 1, max: 40 }) }), { maxLength: 20 });
    const property = fc.asyncProperty(steps, async (history) => {
      let nowMs = NOON_MS;
      const counters = world.create({ nowMs: () => nowMs }, () => Promise.resolve(0));
      const subject = keySubject({ perMinute: 2, perDay: 20 });
      for (const { jump: ms, count } of history) {
        nowMs += ms;
        const decisions = await Promise.all(
          Array.from({ length: count }, async () => counters.decide(subject)),
        );
        expect(decisions.filter((decision) => decision.outcome === 'admitted').length).toBeLessThanOrEqual(2);
        const last = decisions.at(-1)!;
        for (const { name, limit, remaining, resetAtMs } of last.windows) {
          const lengthMs = name === 'minute' ? MINUTE_MS : DAY_MS;
          const toGoMs = resetAtMs - nowMs;
          const isInBounds = toGoMs > 0 && toGoMs <= lengthMs + BACKWARD_STEP_MS;
          if (!isInBounds || remaining < 0 || remaining > limit) throw new Error(JSON.stringify(last));
        }
        expect((last.bannedUntilMs ?? 0) - nowMs).toBeLessThanOrEqual(LONGEST_BAN_MS + BACKWARD_STEP_MS);
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / 5) });
  }, 240_000);
}

describe('counters and their model in memory', () => {
  const world: World = {
    create: (clock, loadDailyCount) => new MemoryCounters({ clock, loadDailyCount }),
    lose: (_counters, _ids, createAgain) => Promise.resolve(createAgain()),
  };
  followsTheModel(world, 1_000);
});

describeInRedis('counters and their model', (redis) => {
  const world: World = {
    create: (clock, loadDailyCount) =>
      new CountersWithAllowances(inRedis(redis(), loadDailyCount, clock), timingOf(clock)),
    lose: async (_counters, ids, createAgain) => {
      await redis().del(...ids.map((id) => `rate-limit:{key:${id}}`));
      return createAgain();
    },
  };
  followsTheModel(world, 200);
});

/** Never over a limit; and exactly the limit of every window that refused, without faults. */
async function keepsTheLimits(
  seed: number,
  withFaults: boolean,
  createShared: CreateShared,
): Promise<number> {
  const time = new VirtualTime(NOON_MS + MINUTE_MS - LOAD_MS);
  const history = await simulate(seed, time, createShared(time), withFaults);
  for (const [name, window] of history.windows) {
    const isExact = withFaults || !window.isExhausted || window.admitted === window.limit;
    if (window.admitted > window.limit || !isExact)
      throw new Error(`seed ${seed}, ${name}: ${JSON.stringify(window)}`);
  }
  return history.fromAllowances;
}

type CreateShared = (time: VirtualTime) => SharedCounters;

function keepTheLimits(seeds: number, createShared: CreateShared): void {
  it.each([
    ['exactly, without faults', false],
    ['and never admit more with stalls, deaths and lost replies', true],
  ])('keep the limits of a busy key %s', async (_, withFaults) => {
    let fromAllowances = 0;
    for (let seed = 1; seed <= seeds; seed += 1)
      fromAllowances += await keepsTheLimits(seed, withFaults, createShared);
    expect(fromAllowances).toBeGreaterThan(0);
  });
}

describe('replicas with allowances', () => keepTheLimits(10, (time) => new ModelOfShared(time)));

describeInRedis('replicas with allowances', (redis) => {
  keepTheLimits(4, (time) => inRedis(redis(), noUsage, time));
});
