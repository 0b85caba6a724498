import { expect } from '@jest/globals';
import type { TestDatabase } from '../../support/databases.js';
import type { Service } from '../../support/service.js';
import { until } from '../../support/until.js';
import { readSnapshot } from './database-snapshot.js';
import { Requester, idIn, type Reply } from './requester.js';

const READERS = 4;
const WRITERS = 8;
const ANSWERED_WITHIN_MS = 3_000;
const LIVE_WITHIN_MS = 1_000;
const RECOVERED_WITHIN_MS = 5_000;
/** So many answers in a row without a refusal mean that all is well again. */
const SERVED_IN_A_ROW = 200;

/**
 * Callers that read, write and ask for life while a fault lasts. Every answer is a success or 503 service_unavailable
 * with Retry-After, within its time; anything else is a breach.
 */
export class FaultTraffic {
  served = 0;
  readsServed = 0;
  refused = 0;
  private slowestMs = 0;
  private slowestLiveMs = 0;
  private lastRefusedAtMs = 0;
  private servedInARow = 0;
  private isOver = false;
  private readonly breaches: string[] = [];
  /** Names of animals by the ids that were acknowledged. */
  private readonly acknowledged = new Map<string, string>();
  private readonly caller: Requester;
  private readonly lanes: Promise<unknown>;

  constructor(
    private readonly service: Service,
    key: string,
  ) {
    this.caller = new Requester(key);
    this.lanes = Promise.all([
      ...Array.from({ length: WRITERS }, (_, lane) => this.write(lane)),
      ...Array.from({ length: READERS }, () => this.read()),
      this.askForLife(),
    ]);
  }

  untilServed(): Promise<boolean> {
    return this.until(() => this.servedInARow >= SERVED_IN_A_ROW);
  }

  /** Waits for more, but not on a service that is gone. */
  until(isSo: () => boolean): Promise<boolean> {
    return until(() => {
      if (this.isOver) throw new Error(`the service is gone:\n${this.breaches[0]}\n${this.service.stderr}`);
      return isSo();
    });
  }

  /** So many refusals more than until now. */
  async untilRefused(more: number): Promise<void> {
    const target = this.refused + more;
    await this.until(() => this.refused >= target);
  }

  /** Waits until all is well again, and checks that it was so in time and how callers fared meanwhile. */
  async recovered(isBackAtMs: number): Promise<Record<string, number>> {
    this.servedInARow = 0;
    await this.untilServed();
    await this.end();
    const recoveredMs = Math.max(0, this.lastRefusedAtMs - isBackAtMs);
    expect(this.breaches).toEqual([]);
    expect(this.refused).toBeGreaterThan(0);
    expect(this.slowestMs).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(this.slowestLiveMs).toBeLessThan(LIVE_WITHIN_MS);
    expect(recoveredMs).toBeLessThan(RECOVERED_WITHIN_MS);
    return {
      served: this.served,
      'answered 503': this.refused,
      'slowest ms': Math.round(this.slowestMs),
      'slowest live ms': Math.round(this.slowestLiveMs),
      'last 503 after its return ms': Math.round(recoveredMs),
    };
  }

  async expectNothingLost(database: TestDatabase): Promise<void> {
    const { pets } = await readSnapshot(database);
    const kept = new Map(pets.map(({ id, name }) => [id, name]));
    expect([...this.acknowledged].filter(([id, name]) => kept.get(id) !== name)).toEqual([]);
    expect(new Set(kept.values()).size).toBe(kept.size);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.lanes;
    this.caller.close();
  }

  private async write(lane: number): Promise<void> {
    for (let round = 0; !this.isOver;) {
      const name = `${lane}-${round}`;
      const reply = await this.timed(() => this.caller.createPet(this.service.url, name));
      if (reply?.status !== 201) continue;
      this.acknowledged.set(idIn(reply.text), name);
      round += 1;
    }
  }

  private async read(): Promise<void> {
    while (!this.isOver) {
      const reply = await this.timed(() => this.caller.send(this.service.url, { path: '/v1/pets?limit=1' }));
      if (reply?.status === 200) this.readsServed += 1;
    }
  }

  private async askForLife(): Promise<void> {
    while (!this.isOver) {
      const askedAtMs = performance.now();
      const reply = await this.caller.send(this.service.url, { path: '/health/live' }).catch(() => undefined);
      this.slowestLiveMs = Math.max(this.slowestLiveMs, performance.now() - askedAtMs);
      if (reply?.status !== 200) this.breaches.push(`live: ${String(reply?.status)}`);
      await until(() => this.isOver || performance.now() - askedAtMs > 100);
    }
  }

  private async timed(ask: () => Promise<Reply>): Promise<Reply | undefined> {
    const askedAtMs = performance.now();
    const reply = await ask().catch((error: unknown) => {
      this.breaches.push(String(error));
    });
    this.slowestMs = Math.max(this.slowestMs, performance.now() - askedAtMs);
    if (!reply) {
      // A service that is gone refuses at once: not for ever.
      if (this.breaches.length > 100) this.isOver = true;
      return undefined;
    }
    if (reply.status < 400) {
      this.served += 1;
      this.servedInARow += 1;
    } else if (isRefusal(reply)) {
      this.refused += 1;
      this.servedInARow = 0;
      this.lastRefusedAtMs = performance.now();
    } else if (!reply.text.includes('idempotency_key_in_use')) {
      this.breaches.push(`${reply.status} ${reply.text}`);
    }
    return reply;
  }
}

function isRefusal({ status, headers, text }: Reply): boolean {
  return status === 503 && text.includes('"service_unavailable"') && Number(headers['retry-after']) >= 1;
}
