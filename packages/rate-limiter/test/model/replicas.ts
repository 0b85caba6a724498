import { type Subject, windowsOf } from '../../src/decision.js';
import { CountersWithAllowances } from '../../src/redis/allowances.js';
import {
  ALLOWANCE_MS,
  type Ask,
  ROOM_FACTOR,
  type SharedCounters,
  type SharedReply,
} from '../../src/redis/shared-counters.js';
import { MINUTE_MS } from '../../src/time.js';
import type { VirtualTime } from '../clocks.js';
import { keySubject } from '../stores.js';

const DAY_START_MS = Date.UTC(2026, 10, 20);
const LOST_CALLS = 0.002;
const NETWORK_MS = 5;
/** How long the load lasts in each of two minutes. */
export const LOAD_MS = 10_000;

/** The same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let a = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The rules of allowances for one key within one day, as the contract says them. */
export class ModelOfShared implements SharedCounters {
  private minuteStartMs = 0;
  private minuteUsed = 0;
  private dayUsed = 0;
  private untilMs = 0;

  constructor(private readonly time: VirtualTime) {}

  async decide(subject: Subject, { cost, want, returned, mayWait }: Ask): Promise<SharedReply> {
    const nowMs = this.time.nowMs();
    const minuteStartMs = nowMs - (nowMs % MINUTE_MS);
    if (minuteStartMs !== this.minuteStartMs) Object.assign(this, { minuteStartMs, minuteUsed: 0 });
    if (returned?.minuteStartMs === minuteStartMs) this.minuteUsed -= returned.count;
    this.dayUsed -= returned?.count ?? 0;
    const room = Math.min(subject.perMinute - this.minuteUsed, (subject.perDay ?? Infinity) - this.dayUsed);
    const isAdmitted = room > 0 && cost > 0;
    const granted = isAdmitted && want > 0 && room - 1 >= ROOM_FACTOR * want ? want : 0;
    if (granted > 0)
      this.untilMs = Math.max(this.untilMs, Math.min(nowMs + ALLOWANCE_MS, minuteStartMs + MINUTE_MS));
    if (isAdmitted) {
      this.minuteUsed += 1 + granted;
      this.dayUsed += 1 + granted;
    }
    const refusal = mayWait && nowMs < this.untilMs ? 'wait' : 'refused';
    return Promise.resolve({
      outcome: room > 0 ? 'admitted' : refusal,
      nowMs,
      windows: windowsOf(subject, minuteStartMs, this.minuteUsed, DAY_START_MS, this.dayUsed),
      bannedUntilMs: null,
      startedBan: null,
      granted,
      allowancesUntilMs: this.untilMs,
    });
  }
}

/** What several replicas admitted of one key. */
export interface History {
  admitted: number;
  fromAllowances: number;
  /** By window: its limit, how many were admitted and whether a request was refused because of it. */
  windows: Map<string, { limit: number; admitted: number; isExhausted: boolean }>;
}

/** Sends random load, ten seconds before and after the end of a minute, to replicas that share `shared`. `withFaults`: replicas stall and die, and replies get lost. */
export async function simulate(
  seed: number,
  time: VirtualTime,
  shared: SharedCounters,
  withFaults: boolean,
): Promise<History> {
  const random = randomOf(seed);
  const perMinute = Math.floor(50 * 100 ** random());
  const perDay = random() < 0.7 ? Math.floor(perMinute * (0.5 + 2 * random())) : null;
  const subject = keySubject({ perMinute, perDay });
  const history: History = { admitted: 0, fromAllowances: 0, windows: new Map() };
  const windowOf = (name: string, resetAtMs: number, limit: number) => {
    const id = `${name} ${resetAtMs}`;
    const window = history.windows.get(id) ?? { limit, admitted: 0, isExhausted: false };
    history.windows.set(id, window);
    return window;
  };

  function createReplica() {
    const skewMs = random() * 1e6;
    const replica = { isAlive: true, stalledUntilMs: 0 };
    /** A stalled replica does the work later, a dead one never. */
    const after = (ms: number, work: () => unknown): void =>
      time.after(ms, () => {
        if (!replica.isAlive) return undefined;
        if (time.ms >= replica.stalledUntilMs) return work();
        after(replica.stalledUntilMs - time.ms, work);
        return undefined;
      });
    const overTheNetwork: SharedCounters = {
      decide: (as, ask) =>
        new Promise((resolve, reject) => {
          time.after(0.1 + random() * NETWORK_MS, async () => {
            const reply = await shared.decide(as, ask);
            const isLost = withFaults && random() < LOST_CALLS;
            after(0.1 + random() * NETWORK_MS, () => (isLost ? reject(new Error('lost')) : resolve(reply)));
          });
        }),
    };
    const counters = new CountersWithAllowances(overTheNetwork, {
      monotonicMs: () => time.ms + skewMs,
      pause: (ms) => new Promise<void>((resolve) => after(ms, resolve)),
    });
    const request = async () => {
      const decision = await Promise.resolve(counters.decide(subject)).catch(() => null);
      // The fallback decides it.
      if (!decision) return;
      if (decision.outcome === 'admitted') history.admitted += 1;
      if (decision.source === 'allowance') history.fromAllowances += 1;
      for (const { name, limit, remaining, resetAtMs } of decision.windows) {
        const window = windowOf(name, resetAtMs, limit);
        if (decision.outcome === 'admitted') window.admitted += 1;
        else window.isExhausted ||= remaining === 0;
        if (decision.source === 'allowance' && time.ms >= resetAtMs)
          throw new Error(`seed ${seed}: an allowance was used after its minute`);
      }
    };
    return Object.assign(replica, { send: () => after(0, () => void request()) });
  }

  const replicas = Array.from({ length: 1 + Math.floor(random() * 5) }, createReplica);
  const anyOf = () => replicas[Math.floor(random() * replicas.length)] ?? createReplica();
  const perMs = (perMinute / LOAD_MS) * 0.3 * 10 ** random();
  const endMs = time.ms + 2 * LOAD_MS;
  const arrive = () => {
    if (time.ms > endMs) return;
    const burst = random() < 0.01 ? 1 + Math.floor((random() * perMinute) / 4) : 1;
    for (let sent = 0; sent < burst; sent += 1) anyOf().send();
    time.after(-Math.log(1 - random()) / perMs, arrive);
  };
  arrive();
  const fail = () => {
    const replica = anyOf();
    if (random() < 0.5) replica.stalledUntilMs = time.ms + random() * 800;
    else if (replicas.filter(({ isAlive }) => isAlive).length > 1) replica.isAlive = false;
  };
  if (withFaults) for (let fault = 0; fault < 4; fault += 1) time.after(random() * 2 * LOAD_MS, fail);
  await time.run();
  return history;
}
