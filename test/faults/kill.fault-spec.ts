import { afterEach, describe, expect, it } from '@jest/globals';
import { atCleanUp, cleanUp } from '../support/clean-up.js';
import { databaseKinds } from '../support/databases.js';
import type { Answer } from '../support/http/client.js';
import { Service } from '../support/service.js';
import { atOnce, until } from '../support/until.js';
import { expectAgreement, readSnapshot } from './support/database-snapshot.js';
import { Requester, idIn } from './support/requester.js';

/** The number of kills on each database. */
const KILLS = Number(process.env.FAULT_KILLS ?? 20);
const LANES = 8;
/** The number of responses between a start and the next kill: this minimum and a random number more. */
const MIN_RESPONSES = 10;
const MORE_RESPONSES = 100;

interface Acknowledged {
  path: string;
  body: string;
  text: string;
}

/** Callers of a service that is killed repeatedly. They retry requests without a response with the same idempotency key. */
class Workload {
  url = '';
  isOver = false;
  /** Set after a test, so that no caller waits for a service that does not start. */
  isAbandoned = false;
  readonly acknowledged = new Map<string, Acknowledged>();
  lost = 0;

  constructor(private readonly caller: Requester) {}

  /** Creates animals and orders. The orders are delivered, cancelled or left open. */
  async lane(lane: number): Promise<void> {
    for (let round = 0; !this.isOver; round += 1) {
      const name = `${lane}-${round}`;
      const petId = idIn(await this.post('/v1/pets', `{"name":"${name}","categoryId":1}`, `pet-${name}`));
      const orderId = idIn(await this.post('/v1/store/orders', `{"petId":${petId}}`, `order-${name}`));
      const actions = [[], ['cancel'], ['approve', 'deliver'], ['approve', 'cancel']][round % 4]!;
      for (const action of actions)
        await this.post(`/v1/store/orders/${orderId}/${action}`, '', `${action}-${name}`);
    }
  }

  private async post(path: string, body: string, idempotencyKey: string): Promise<string> {
    return until(async () => {
      if (this.isAbandoned) throw new Error('the test is over');
      const askedUrl = this.url;
      const reply = await this.caller.post(askedUrl, path, body, idempotencyKey).catch(() => undefined);
      if (!reply) {
        this.lost += 1;
        await until(() => this.isAbandoned || this.url !== askedUrl);
        return undefined;
      }
      // PostgreSQL may not have noticed yet that the holder of the key was killed.
      if (reply.text.includes('idempotency_key_in_use')) return undefined;
      expect({ path, status: reply.status, text: reply.text }).toMatchObject({
        status: path.endsWith('s') ? 201 : 200,
      });
      this.acknowledged.set(idempotencyKey, { path, body, text: reply.text });
      return reply.text;
    });
  }
}

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

describe.each(databaseKinds)('a killed service on $name', (kind) => {
  afterEach(cleanUp);

  it(`keeps acknowledged animals and orders exactly once (${KILLS} kills)`, async () => {
    const database = await kind.create();
    let service = await Service.start(database.env);
    const caller = new Requester(await service.issueKey());
    const workload = new Workload(caller);
    atCleanUp(() => (workload.isAbandoned = true));
    workload.url = service.url;
    const lanes = atOnce(LANES, (lane) => workload.lane(lane));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = workload.acknowledged.size + MIN_RESPONSES + Math.floor(Math.random() * MORE_RESPONSES);
      await Promise.race([lanes, until(() => workload.acknowledged.size >= target)]);
      await service.stop('SIGKILL');
      service = await Service.start(database.env);
      workload.url = service.url;
    }
    workload.isOver = true;
    await lanes;

    const snapshot = await readSnapshot(database);
    expectAgreement(snapshot);
    const counts = { available: 0n, pending: 0n, sold: 0n };
    for (const { status } of snapshot.pets) counts[status as keyof typeof counts] += 1n;
    expect((await caller.send(service.url, { path: '/v1/store/inventory' })).body).toEqual(counts);
    const answersTo = (path: string) =>
      [...workload.acknowledged.values()].filter((answer) => answer.path === path);
    const names = answersTo('/v1/pets').map(({ text }) => [
      idIn(text),
      (JSON.parse(text) as { name: string }).name,
    ]);
    expect(new Map(snapshot.pets.map(({ id, name }) => [id, name]))).toEqual(
      new Map(names as [string, string][]),
    );
    expect(snapshot.pets).toHaveLength(names.length);
    const placed = answersTo('/v1/store/orders').map(({ text }) => idIn(text));
    expect(snapshot.orders.map(({ id }) => id).sort()).toEqual(placed.sort());
    expect(workload.lost).toBeGreaterThan(0);

    for (const [idempotencyKey, { path, body, text }] of workload.acknowledged) {
      const repeat = await caller.post(service.url, path, body, idempotencyKey);
      expect([repeat.text, isReplayed(repeat)]).toEqual([text, true]);
    }
  });
});
