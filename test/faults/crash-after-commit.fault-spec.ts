import { afterEach, expect, it } from '@jest/globals';
import { connectTo, describeOnServer, onDatabase, type TestDatabase } from '../support/databases.js';
import { cleanUp } from '../support/clean-up.js';
import { Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { expectAgreement, readSnapshot } from './support/database-snapshot.js';
import { Requester, idIn } from './support/requester.js';

let database: TestDatabase;
let caller: Requester;
afterEach(cleanUp);

const commits = async () => {
  const { pets, orders } = await readSnapshot(database);
  return pets.length + orders.length;
};

/** Creates an animal and its order. Each time, `crash` ends the service after the commit, and the retry is replayed. */
async function expectReplays(
  crash: (send: (url: string) => Promise<unknown>, done: () => Promise<boolean>) => Promise<Service>,
): Promise<void> {
  let petId = '';
  for (const what of ['pet', 'order']) {
    const path = what === 'pet' ? '/v1/pets' : '/v1/store/orders';
    const body = what === 'pet' ? '{"name":"Rex","categoryId":1}' : `{"petId":${petId}}`;
    const before = await commits();
    const isDone = async () => (await commits()) > before;
    const service = await crash((url) => caller.post(url, path, body, what), isDone);
    const retry = await caller.post(service.url, path, body, what);
    expect(retry.status).toBe(201);
    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(await commits()).toBe(before + 1);
    if (what === 'pet') petId = idIn(retry.text);
  }
  expectAgreement(await readSnapshot(database));
}

// kill.fault-spec.ts has retries after a kill.
/** Makes the server delay every commit of an animal or an order until the lock is released. */
const HOLD_COMMITS = `
  create function wait_at_commit() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(7); return null; end';
  create constraint trigger wait_at_commit after insert on idempotency_keys
    deferrable initially deferred for each row execute function wait_at_commit()`;
const WAITING = `select from pg_locks where locktype = 'advisory' and objid = 7 and not granted
  and database = (select oid from pg_database where datname = current_database())`;

describeOnServer('a retry on PostgreSQL', (kind) => {
  it('gets the first response after a 503 for a lost response to the commit', async () => {
    database = await kind.create();
    const proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    const service = await Service.start({ DATABASE_URL: proxy.url });
    caller = new Requester(await service.issueKey());
    await onDatabase(database, HOLD_COMMITS);
    await expectReplays(async (send, isDone) => {
      const holder = await connectTo(database);
      await holder.query('select pg_advisory_lock(7)');
      const answer = send(service.url);
      await until(async () => (await holder.query(WAITING)).rowCount !== 0);
      proxy.holdAnswers();
      await holder.query('select pg_advisory_unlock(7)');
      await until(isDone);
      expect(await answer).toMatchObject({ status: 503 });
      await holder.end();
      proxy.restore();
      await until(async () => (await caller.send(service.url, { path: '/health/ready' })).status === 200);
      return service;
    });
  });
});
