import { beforeAll, expect, it } from '@jest/globals';
import { connectTo, describeOnServer, onDatabase, type TestDatabase } from '../support/databases.js';
import { Service } from '../support/service.js';
import { orderOf, Store } from '../support/store.js';
import { until } from '../support/until.js';

const WAITING = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

describeOnServer('the time of a change', (kind) => {
  let database: TestDatabase;
  let store: Store;
  let partner: string;

  beforeAll(async () => {
    database = await kind.create();
    const service = await Service.start(database.env);
    const { key, id } = await service.issue({ access: 'admin' });
    store = new Store(service.url, key, id);
    partner = (await service.issue({ access: 'order' })).id;
  });

  /**
   * Sends a change while another session holds the row that it needs. When the change waits, that session runs `statement`, which
   * returns its time, and commits.
   */
  async function afterWait<Answered>(row: string, send: () => Promise<Answered>, statement: string) {
    const session = await connectTo(database);
    await session.query(`begin; select from ${row} for update`);
    const answer = send();
    // A transaction sees what sessions do as at its first look.
    await until(async () => (await onDatabase(database, WAITING)).length === 1);
    const { rows } = await session.query<{ at: Date }>(statement);
    await session.query('commit');
    await session.end();
    return { answer: await answer, otherAt: rows[0]!.at.toISOString() };
  }

  it('of an order is not before the change that it waited for', async () => {
    const { id: petId } = await store.create('Rex', 1);
    const { id } = await store.placed(petId);
    const { answer, otherAt } = await afterWait(
      `orders where id = ${id}`,
      () => store.transition(id, 'approve'),
      `update orders set updated_at = clock_timestamp() where id = ${id} returning updated_at as at`,
    );
    expect(orderOf(answer).status).toBe('approved');
    expect(orderOf(answer).updatedAt >= otherAt).toBe(true);
  });

  it('of an order does not go back with the clock of the database', async () => {
    const { id: petId } = await store.create('Rex', 1);
    const { id } = await store.placed(petId);
    await onDatabase(database, `update orders set updated_at = '2100-01-01T00:00:00Z' where id = $1`, [id]);
    expect(orderOf(await store.transition(id, 'approve')).updatedAt).toBe('2100-01-01T00:00:00.000Z');
  });

  it('of a key is not before the change that it waited for', async () => {
    const { answer, otherAt } = await afterWait(
      `api_keys where id = '${partner}'`,
      () => store.send({ method: 'PATCH', path: `/v1/keys/${partner}`, body: { name: 'Max' } }),
      `insert into key_events (key_id, kind, actor, at) values ('${partner}', 'updated', 'command', clock_timestamp())
        returning at`,
    );
    expect(answer.status).toBe(200);
    const events = (await store.get(`/v1/keys/${partner}/events`)).body as unknown as { at: string }[];
    expect(events.at(-2)!.at).toBe(otherAt);
    expect(events.at(-1)!.at >= otherAt).toBe(true);
  });
});
