import { describe, expect, it } from '@jest/globals';
import { START_MS, VirtualTime } from '../../test/clocks.js';
import { keySubject } from '../../test/stores.js';
import { type Decision, type Subject, windowsOf } from '../decision.js';
import { MINUTE_MS } from '../time.js';
import { CountersWithAllowances } from './allowances.js';
import { ALLOWANCE_MS, type Ask, type SharedCounters, type SharedReply } from './shared-counters.js';

const LATENCY_MS = 10;
const DAY_START_MS = Date.UTC(2026, 10, 20);

/** Grants what is asked for; a test says otherwise. */
class SharedForTest implements SharedCounters {
  readonly asks: Ask[] = [];
  used = 0;
  next: Partial<SharedReply> | Error = {};
  constructor(private readonly time: VirtualTime) {}

  async decide(subject: Subject, ask: Ask): Promise<SharedReply> {
    this.asks.push(ask);
    const nowMs = this.time.nowMs();
    await this.time.pause(LATENCY_MS);
    const { next } = this;
    if (next instanceof Error) throw next;
    const granted = next.granted ?? ask.want;
    this.used += ask.cost + granted - (ask.returned?.count ?? 0);
    const minuteStartMs = nowMs - (nowMs % MINUTE_MS);
    return {
      outcome: 'admitted',
      nowMs,
      windows: windowsOf(subject, minuteStartMs, this.used, DAY_START_MS, this.used),
      bannedUntilMs: null,
      startedBan: null,
      granted,
      allowancesUntilMs: 0,
      ...next,
    };
  }
}

/** `startMs`: when the first request comes. */
function setUp(startMs = START_MS) {
  const time = new VirtualTime(startMs);
  const shared = new SharedForTest(time);
  const counters = new CountersWithAllowances(shared, time);
  const subject = keySubject({ perMinute: 1_000, perDay: 10_000 });
  /** Requests one after the other. */
  const send = async (count: number, as = subject): Promise<Decision[]> => {
    const decisions: Decision[] = [];
    const sending = (async () => {
      for (let sent = 0; sent < count; sent += 1) decisions.push(await counters.decide(as));
    })();
    await time.run((count + 1) * LATENCY_MS);
    await sending;
    return decisions;
  };
  /** Sends so many requests in each of successive slots. Resolves with what they asked for. */
  const sendInSlots = async (...counts: number[]): Promise<number[]> => {
    for (const count of counts) {
      await time.run(ALLOWANCE_MS - (time.monotonicMs() % ALLOWANCE_MS));
      await send(count);
    }
    return shared.asks.filter(({ cost }) => cost > 0).map(({ want }) => want);
  };
  return { time, shared, counters, subject, send, sendInSlots };
}

describe('a refusal', () => {
  const address = keySubject({ perMinute: 1_000, perDay: null });
  const refused: Partial<SharedReply> = { outcome: 'refused', granted: 0 };

  it('of an address lasts without a call until the minute ends', async () => {
    const { time, shared, counters, send } = setUp(START_MS + 40_000);
    shared.used = 1_000;
    shared.next = refused;
    const [first, second] = await send(2, address);
    expect(first).toMatchObject({ outcome: 'refused', source: 'redis' });
    expect(second).toMatchObject({ outcome: 'refused', source: 'refusal', windows: first!.windows });
    expect(second!.nowMs - first!.nowMs).toBeGreaterThanOrEqual(0);
    await time.run(START_MS + MINUTE_MS - 1 - time.ms);
    expect(await counters.decide(address)).toMatchObject({ source: 'refusal' });
    expect(shared.asks).toHaveLength(1);
    shared.next = {};
    await time.run(1);
    expect((await send(1, address))[0]).toMatchObject({ outcome: 'admitted', source: 'redis' });
  });

  it.each([
    ['of a key, which is counted for a ban', keySubject({ perMinute: 1_000 }), {}],
    ['while allowances are out', address, { allowancesUntilMs: START_MS + 1 }],
  ])('calls again %s', async (_, subject, reply) => {
    const { shared, send } = setUp();
    shared.next = { ...refused, ...reply };
    await send(3, subject);
    expect(shared.asks).toHaveLength(3);
  });

  it.each([
    ['has another limit', { perMinute: 900 }, 2],
    ['has a ban that was lifted', { penaltiesResetAtMs: START_MS }, 2],
    ['stays the same', {}, 1],
  ])('by a ban lasts without a call unless the key %s', async (_, changes, calls) => {
    const { shared, subject, send } = setUp();
    shared.next = { outcome: 'banned', granted: 0, bannedUntilMs: START_MS + 600_000 };
    await send(2, subject);
    await send(1, { ...subject, ...changes });
    expect(shared.asks).toHaveLength(calls);
  });

  it('by a ban ends with the ban or the minute, whose windows it shows', async () => {
    for (const endsAtMs of [START_MS + 500, START_MS + MINUTE_MS]) {
      const { time, shared, counters, subject, send } = setUp();
      const bannedUntilMs = endsAtMs === START_MS + 500 ? endsAtMs : START_MS + 600_000;
      shared.next = { outcome: 'banned', granted: 0, bannedUntilMs };
      await send(1, subject);
      await time.run(endsAtMs - 1 - time.ms);
      expect(await counters.decide(subject)).toMatchObject({ outcome: 'banned', source: 'refusal' });
      await time.run(1);
      await send(1, subject);
      expect(shared.asks).toHaveLength(2);
    }
  });
});

describe('allowances', () => {
  it('are asked for at the fourth request, and admit as many without a call', async () => {
    const { shared, send } = setUp();
    const decisions = await send(8);
    expect(shared.asks.map(({ want }) => want)).toEqual([0, 0, 0, 4]);
    expect(decisions.map(({ source }) => source)).toEqual([
      ...Array<string>(4).fill('redis'),
      ...Array<string>(4).fill('allowance'),
    ]);
    // The unused part counts as left.
    expect(decisions.map(({ windows }) => windows[0]?.remaining)).toEqual([
      999, 998, 997, 996, 995, 994, 993, 992,
    ]);
    await send(1);
    expect(shared.asks.at(-1)).toMatchObject({ want: 9, returned: null });
  });

  it.each([
    ['two slots', [2, 2], [0, 0, 0, 2]],
    ['a slot', [0, 4], [0, 0, 0, 4]],
    ['two slots, three of them in the first', [3, 1], [0, 0, 0, 3]],
  ])('are asked for at the fourth request in %s', async (_, counts, wanted) => {
    const { sendInSlots } = setUp();
    expect(await sendInSlots(...counts)).toEqual(wanted);
  });

  it.each([
    ['one request in each slot', [1, 1, 1, 1, 1]],
    ['three requests in two slots', [2, 1, 0, 1, 2]],
    ['three requests in every second slot', [3, 0, 3, 0, 3]],
  ])('are not asked for by a caller with %s', async (_, counts) => {
    const { sendInSlots } = setUp();
    expect(new Set(await sendInSlots(...counts))).toEqual(new Set([0]));
  });

  it('are asked for by one call at a time', async () => {
    const { time, shared, counters, subject } = setUp();
    const deciding = Array.from({ length: 20 }, async () => counters.decide(subject));
    await time.run(LATENCY_MS);
    await Promise.all(deciding);
    expect(shared.asks.filter(({ want }) => want > 0)).toHaveLength(1);
  });

  it('show what the shared counters have decided for this replica since they were granted', async () => {
    const { time, counters, subject, send } = setUp();
    const deciding = Array.from({ length: 20 }, async () => counters.decide(subject));
    await time.run(LATENCY_MS);
    await Promise.all(deciding);
    const [next] = await send(1);
    expect(next).toMatchObject({ source: 'allowance', windows: [{ remaining: 979 }, { remaining: 9_979 }] });
  });

  it('make the requests of a moment wait for the next one, once the caller has had one', async () => {
    const { time, shared, counters, subject, send } = setUp();
    await send(8);
    const deciding = Array.from({ length: 5 }, async () => counters.decide(subject));
    await time.run(LATENCY_MS);
    const sources = (await Promise.all(deciding)).map(({ source }) => source);
    expect(sources).toEqual(['redis', ...Array<string>(4).fill('allowance')]);
    expect(shared.asks).toHaveLength(5);
  });

  it.each([
    ['250 ms after the call was sent', START_MS, 250],
    ['at the end of the minute', START_MS + MINUTE_MS - 130, 100],
  ])('end %s, and what is left goes back once', async (_, startMs, lastsMs) => {
    const { time, shared, counters, subject, send } = setUp(startMs);
    // The call that asks is sent 30 ms after the first request, and 50 ms have passed when all are decided.
    await send(4);
    await time.run(lastsMs - 21);
    const last = await counters.decide(subject);
    expect(last.source).toBe('allowance');
    expect(last.nowMs).toBeLessThan(startMs + 30 + lastsMs);
    await time.run(1);
    const [next] = await send(1);
    expect(next?.source).toBe('redis');
    await time.run();
    const minuteStartMs = startMs - (startMs % MINUTE_MS);
    expect(shared.asks.flatMap(({ returned }) => returned ?? []).slice(0, 1)).toEqual([
      { minuteStartMs, dayStartMs: DAY_START_MS, count: 3 },
    ]);
    const counted = shared.asks.reduce((sum, { cost }) => sum + cost, 0);
    // Everything else went back.
    expect(shared.used).toBe(counted + 1);
  });

  it.each([
    ['lower limits', { perMinute: 900 }],
    ['a lower limit of the day', { perDay: 9_000 }],
    ['a ban', { ban: { untilMs: START_MS + 600_000, durationMs: 600_000 } }],
    ['a reset of penalties', { penaltiesResetAtMs: 1 }],
  ])('are dropped when the key has %s, and go back with the next call', async (_, changes) => {
    const { shared, subject, send } = setUp();
    await send(5);
    const [decision] = await send(1, { ...subject, ...changes });
    expect(decision?.source).toBe('redis');
    expect(shared.asks.at(-1)?.returned?.count).toBe(3);
  });

  it('that go back with a call that fails are not returned again', async () => {
    const { time, shared, counters, subject, send } = setUp();
    await send(4);
    shared.next = new Error('away');
    const failing = Promise.resolve(counters.decide({ ...subject, perMinute: 900 })).catch(String);
    await time.run();
    expect(await failing).toMatch('away');
    expect(shared.asks.filter(({ returned }) => returned)).toHaveLength(1);
  });

  it('go back when the process stops', async () => {
    const { time, shared, counters, send } = setUp();
    await send(4);
    const closing = counters.close();
    await time.run(LATENCY_MS);
    await closing;
    expect(shared.asks.at(-1)).toMatchObject({ cost: 0, returned: { count: 4 } });
    await time.run();
    expect(shared.asks.filter(({ returned }) => returned)).toHaveLength(1);
  });

  it('make a request wait for their end, half a second at most', async () => {
    const { time, shared, counters, subject } = setUp();
    shared.next = { outcome: 'wait', granted: 0 };
    shared.next.allowancesUntilMs = START_MS + 60;
    const deciding = counters.decide(subject);
    await time.run(LATENCY_MS + 60 + 50 - 1);
    expect(shared.asks).toHaveLength(1);
    await time.run(1);
    expect(shared.asks.map(({ mayWait }) => mayWait)).toEqual([true, true]);
    shared.next = { outcome: 'refused', granted: 0 };
    await time.run();
    expect((await deciding).outcome).toBe('refused');

    shared.asks.length = 0;
    shared.next = { outcome: 'wait', granted: 0, allowancesUntilMs: Infinity };
    const startMs = time.ms;
    const endless = counters.decide(subject);
    await time.run();
    expect((await endless).outcome).toBe('refused');
    expect(shared.asks.map(({ mayWait }) => mayWait)).toEqual([true, false]);
    expect(time.ms - startMs).toBe(500 + 2 * LATENCY_MS);
  });
});
