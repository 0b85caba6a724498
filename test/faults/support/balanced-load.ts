import { atCleanUp } from '../../support/clean-up.js';
import type { Service } from '../../support/service.js';
import { until } from '../../support/until.js';
import { Requester } from './requester.js';

const PROBE_EVERY_MS = 100;
/** One of this many requests creates an animal; the others list. */
const CREATE_EVERY = 10;

/** Callers behind a balancer that uses only ready replicas. No request is retried. */
export class BalancedLoad {
  sent = 0;
  created = 0;
  readonly failures: string[] = [];
  private ready: Service[] = [];
  private isOver = false;
  private readonly caller: Requester;
  private readonly lanes: Promise<unknown>;

  private constructor(key: string, lanes: number) {
    this.caller = new Requester(key);
    this.lanes = Promise.all(Array.from({ length: lanes }, () => this.lane()));
  }

  static async on(replicas: Service[], lanes: number): Promise<BalancedLoad> {
    const load = new BalancedLoad(await replicas[0]!.issueKey(), lanes);
    atCleanUp(() => (load.isOver = true));
    await Promise.all(replicas.map((replica) => load.add(replica)));
    return load;
  }

  /** Adds a replica to the balancer, and waits until it gets requests. */
  async add(replica: Service): Promise<void> {
    void this.watch(replica);
    await until(() => this.ready.includes(replica));
  }

  /** Stops a replica as an orchestrator does. The balancer notices it only by its readiness. */
  async stop(replica: Service): Promise<number | null> {
    const stopped = replica.stop();
    await until(() => !this.ready.includes(replica));
    return stopped;
  }

  async untilSent(count: number): Promise<void> {
    await until(() => this.sent >= count);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.lanes;
  }

  private async watch(replica: Service): Promise<void> {
    while (!this.isOver && replica.exitCode === null) {
      const sentAtMs = performance.now();
      const reply = await this.caller.send(replica.url, { path: '/health/ready' }).catch(() => undefined);
      const others = this.ready.filter((each) => each !== replica);
      this.ready = reply?.status === 200 ? [...others, replica] : others;
      await until(() => this.isOver || performance.now() - sentAtMs >= PROBE_EVERY_MS);
    }
  }

  private async lane(): Promise<void> {
    await until(() => this.isOver || this.ready.length > 0);
    while (!this.isOver) {
      const number = this.sent;
      this.sent += 1;
      const replica = this.ready[number % this.ready.length];
      if (!replica) {
        this.failures.push('no replica is ready');
        await until(() => this.isOver || this.ready.length > 0);
        continue;
      }
      const isCreate = number % CREATE_EVERY === 0;
      const sending = isCreate
        ? this.caller.createPet(replica.url, String(number))
        : this.caller.send(replica.url, { path: '/v1/pets?limit=1' });
      const reply = await sending.catch((error: unknown) => String(error));
      if (typeof reply === 'string') this.failures.push(reply);
      else if (reply.status !== (isCreate ? 201 : 200)) this.failures.push(`${reply.status} ${reply.text}`);
      else if (isCreate) this.created += 1;
    }
  }
}
