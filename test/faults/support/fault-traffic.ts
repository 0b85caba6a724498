import { expect } from '@jest/globals';
import { atCleanUp } from '../../support/clean-up.js';
import type { Answer } from '../../support/http/client.js';
import type { TestDatabase } from '../../support/databases.js';
import type { Service } from '../../support/service.js';
import { until } from '../../support/until.js';
import { readSnapshot } from './database-snapshot.js';
import { Requester, idIn } from './requester.js';

const MAX_RESPONSE_MS = 3_000;
const MAX_LIVE_RESPONSE_MS = 1_000;
const RECOVERED_WITHIN_MS = 5_000;
const PROBE_EVERY_MS = 100;
/** This many responses in a row without a refusal count as recovery. */
const SERVED_IN_A_ROW = 200;

/**
 * Callers that read and write during a fault. Every response is a success or 503 service_unavailable with Retry-After, in time; anything
 * else is a violation. Services are called in turn: those given to the constructor also while they are not ready, with probes of their
 * liveness, and those that `add` puts behind a balancer only while they are ready.
 */
export class FaultTraffic {
  sent = 0;
  served = 0;
  readsServed = 0;
  refused = 0;
  private slowestMs = 0;
  private slowestLiveMs = 0;
  private lastRefusedAtMs = 0;
  private servedInARow = 0;
  private isOver = false;
  private readonly violations: string[] = [];
  /** The names of acknowledged animals by id. */
  private readonly acknowledged = new Map<string, string>();
  private readonly caller: Requester;
  private readonly lanes: Promise<unknown>;

  constructor(
    key: string,
    private targets: Service[] = [],
    { readers = 4, writers = 8 } = {},
  ) {
    atCleanUp(() => (this.isOver = true));
    this.caller = new Requester(key);
    this.lanes = Promise.all([
      ...Array.from({ length: writers }, (_, lane) => this.write(lane)),
      ...Array.from({ length: readers }, () => this.read()),
      ...targets.map((service) => this.probeLiveness(service)),
    ]);
  }

  /** Adds a replica to the balancer, and waits until it gets requests. */
  async add(replica: Service): Promise<void> {
    void this.probe(replica, '/health/ready', (isReady) => {
      const others = this.targets.filter((each) => each !== replica);
      this.targets = isReady ? [...others, replica] : others;
    });
    await until(() => this.targets.includes(replica));
  }

  /** Stops a replica as an orchestrator does. The balancer notices it only by its readiness. */
  async stop(replica: Service): Promise<number | null> {
    const stopped = replica.stop();
    await until(() => !this.targets.includes(replica));
    return stopped;
  }

  /** Ends the traffic. Expects that no request has failed or been refused. */
  async endServed(): Promise<void> {
    await this.end();
    expect([this.violations.slice(0, 5), this.refused]).toEqual([[], 0]);
  }

  untilServed(): Promise<boolean> {
    return this.until(() => this.servedInARow >= SERVED_IN_A_ROW);
  }

  /** Waits for a condition; fails if the service has ended. */
  until(isSo: () => boolean): Promise<boolean> {
    return until(() => {
      if (this.isOver)
        throw new Error(
          `the service has ended:\n${this.violations[0]}\n${this.targets.map(({ stderr }) => stderr).join('\n')}`,
        );
      return isSo();
    });
  }

  /** Waits for this many more refusals. */
  async untilRefused(more: number): Promise<void> {
    const target = this.refused + more;
    await this.until(() => this.refused >= target);
  }

  /** Waits for the recovery, and checks its duration and the responses during the fault. */
  async recovered(isBackAtMs: number): Promise<void> {
    this.servedInARow = 0;
    await this.untilServed();
    await this.end();
    expect(this.violations).toEqual([]);
    expect(this.refused).toBeGreaterThan(0);
    expect(this.slowestMs).toBeLessThan(MAX_RESPONSE_MS);
    expect(this.slowestLiveMs).toBeLessThan(MAX_LIVE_RESPONSE_MS);
    expect(this.lastRefusedAtMs - isBackAtMs).toBeLessThan(RECOVERED_WITHIN_MS);
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
  }

  private async write(lane: number): Promise<void> {
    for (let round = 0; !this.isOver;) {
      const name = `${lane}-${round}`;
      const reply = await this.timed((url) => this.caller.createPet(url, name));
      if (reply?.status !== 201) continue;
      this.acknowledged.set(idIn(reply.text), name);
      round += 1;
    }
  }

  private async read(): Promise<void> {
    while (!this.isOver) {
      const reply = await this.timed((url) => this.caller.send(url, { path: '/v1/pets?limit=1' }));
      if (reply?.status === 200) this.readsServed += 1;
    }
  }

  private probeLiveness(service: Service): Promise<void> {
    return this.probe(service, '/health/live', (isLive, ms) => {
      this.slowestLiveMs = Math.max(this.slowestLiveMs, ms);
      if (!isLive) this.violations.push('not live');
    });
  }

  /** Probes a service until the end of the traffic or of the service. */
  private async probe(
    service: Service,
    path: string,
    record: (isOk: boolean, ms: number) => void,
  ): Promise<void> {
    while (!this.isOver && !service.hasEnded) {
      const sentAtMs = performance.now();
      const reply = await this.caller.send(service.url, { path }).catch(() => undefined);
      record(reply?.status === 200, performance.now() - sentAtMs);
      await until(() => this.isOver || performance.now() - sentAtMs > PROBE_EVERY_MS);
    }
  }

  private async timed(send: (url: string) => Promise<Answer>): Promise<Answer | undefined> {
    if (this.sent > 0 && this.targets.length === 0) this.violations.push('no replica is ready');
    await until(() => this.isOver || this.targets.length > 0);
    const target = this.targets[(this.sent += 1) % this.targets.length];
    if (!target) return undefined;
    const sentAtMs = performance.now();
    const reply = await send(target.url).catch((error: unknown) => {
      this.violations.push(String(error));
    });
    this.slowestMs = Math.max(this.slowestMs, performance.now() - sentAtMs);
    if (!reply) {
      // An ended service refuses at once, so that the number of errors is limited.
      if (this.violations.length > 100) this.isOver = true;
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
      this.violations.push(`${reply.status} ${reply.text}`);
    }
    return reply;
  }
}

function isRefusal({ status, headers, text }: Answer): boolean {
  return status === 503 && text.includes('"service_unavailable"') && Number(headers['retry-after']) >= 1;
}
