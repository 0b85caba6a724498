import { describe, expect, it } from '@jest/globals';
import { atOnce } from '../support/until.js';
import type { Answer, Call } from '../support/http/client.js';
import { databaseKinds } from '../support/databases.js';
import { expectError, expectOneWinner } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { orderOf, storeOf } from '../support/store.js';

const OTHER = '"AAAAAAAAAAAAAAAAAAAAAAAAAAA"';

const tagOf = ({ headers }: Answer) => headers.etag!;

describe.each(databaseKinds)('preconditions on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const admin = storeOf(service, { access: 'admin' });

  const getPet = (id: bigint) => store.get(`/v1/pets/${id}`);
  const getOrder = (id: bigint) => store.get(`/v1/store/orders/${id}`);
  const send = (method: string, path: string, ifMatch: string, more: Partial<Call> = {}) =>
    store.send({ method, path, ...more, headers: { 'if-match': ifMatch, ...more.headers } });
  const patch = (id: bigint, ifMatch: string, body: unknown = { name: 'Max' }) =>
    send('PATCH', `/v1/pets/${id}`, ifMatch, { body });
  const remove = (id: bigint | string, ifMatch: string) => send('DELETE', `/v1/pets/${id}`, ifMatch);
  const transition = (id: bigint | string, action: string, ifMatch: string, headers = {}) =>
    send('POST', `/v1/store/orders/${id}/${action}`, ifMatch, { headers });

  it('accepts the current ETag from GET and from PATCH', async () => {
    const { id } = await store.create('Rex', 7);
    const changed = await patch(id, tagOf(await getPet(id)));
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).toBe(tagOf(await getPet(id)));
    expect((await patch(id, tagOf(changed), { name: 'Moritz' })).status).toBe(200);
    expect((await remove(id, tagOf(await getPet(id)))).status).toBe(204);
  });

  // etag.spec.ts has every spelling.
  it.each([OTHER, ''])('refuses %j and changes nothing', async (ifMatch) => {
    const { id } = await store.create('Rex', 7);
    const before = await getPet(id);
    const message = expectError(await patch(id, ifMatch), 'precondition_failed');
    expect(message).toContain(`expected ${tagOf(before)}, got ${ifMatch || 'an empty header'}.`);
    expectError(await remove(id, ifMatch), 'precondition_failed');
    expect((await getPet(id)).text).toBe(before.text);
  });

  it('take the tag of one animal from a list of one id', async () => {
    const { id } = await store.create('Rex "der" Größte \\ \u007f\n', 7);
    for (const query of [`ids=${id}`, `ids=${id},${id}`, `ids=${id}&ids=${id}`, `ids=${id}&limit=1`]) {
      const listed = await store.list(query);
      expect(tagOf(listed)).toBe(tagOf(await getPet(id)));
      const again = await store.send({
        path: `/v1/pets?${query}`,
        headers: { 'if-none-match': tagOf(listed) },
      });
      expect([again.status, tagOf(again)]).toEqual([304, tagOf(listed)]);
    }
    const several = await store.list(`ids=${id},${(await store.create('Tom', 7)).id}`);
    const none = await store.list('ids=-1');
    for (const answer of [several, none]) expectError(await patch(id, tagOf(answer)), 'precondition_failed');
    expect((await patch(id, tagOf(await store.list(`ids=${id}`)))).status).toBe(200);
  });

  it('refuse a write with If-None-Match when it matches', async () => {
    const { id } = await store.create('Rex', 7);
    const before = await getPet(id);
    const write = (method: string, path: string, tag: string, body?: unknown) =>
      store.send({ method, path, body, headers: { 'if-none-match': tag } });
    for (const tag of ['*', tagOf(before), `W/${tagOf(before)}`, `${OTHER}, ${tagOf(before)}`]) {
      const message = expectError(
        await write('PATCH', `/v1/pets/${id}`, tag, { name: 'Max' }),
        'precondition_failed',
      );
      expect(message).toBe(
        `If-None-Match: expected no tag of the current state, which is ${tagOf(before)}, got ${tag}.`,
      );
      expectError(await write('DELETE', `/v1/pets/${id}`, tag), 'precondition_failed');
    }
    expect((await getPet(id)).text).toBe(before.text);
    expectError(await write('POST', '/v1/pets', '*', { name: 'Max', categoryId: 7 }), 'precondition_failed');
    expectError(await write('POST', '/v1/store/orders', '*', `{"petId":${id}}`), 'precondition_failed');
    const order = await store.placed(id);
    const shown = await getOrder(order.id);
    const approve = `/v1/store/orders/${order.id}/approve`;
    expectError(await write('POST', approve, tagOf(shown)), 'precondition_failed');
    expect((await getOrder(order.id)).text).toBe(shown.text);
    expect((await write('POST', approve, OTHER)).status).toBe(200);
    expect((await write('PATCH', `/v1/pets/${id}`, OTHER, { name: 'Max' })).status).toBe(200);
    expect((await write('POST', '/v1/pets', OTHER, { name: 'Max', categoryId: 7 })).status).toBe(201);
  });

  it('apply to every write of a key', async () => {
    const create = { method: 'POST', path: '/v1/keys', body: { name: 'partner', plan: 'free' } };
    const sendWith = (write: Call, headers: Record<string, string>) => admin.send({ ...write, headers });
    const path = String((await admin.send(create)).headers.location);
    const writes: Call[] = [
      { method: 'PATCH', path, body: { name: 'changed' } },
      { method: 'POST', path: `${path}/rotate` },
      { method: 'POST', path: `${path}/unban` },
      { method: 'DELETE', path },
    ];
    const before = await admin.get(path);
    for (const write of writes) {
      for (const tag of ['*', tagOf(before), `W/${tagOf(before)}`])
        expectError(await sendWith(write, { 'if-none-match': tag }), 'precondition_failed');
      expectError(await sendWith(write, { 'if-match': OTHER }), 'precondition_failed');
    }
    expect((await admin.get(path)).text).toBe(before.text);
    expectError(await sendWith(create, { 'if-none-match': '*' }), 'precondition_failed');
    for (const write of [create, ...writes])
      expect((await sendWith(write, { 'if-none-match': OTHER })).status).toBeLessThan(300);
  });

  it('accepts exactly one of many simultaneous writers, and loses no update', async () => {
    const { id } = await store.create('0', 7);
    for (let round = 1; round <= 5; round += 1) {
      const tag = tagOf(await getPet(id));
      const answers = await atOnce(10, (writer) =>
        patch(id, tag, { name: `round ${round}, writer ${writer}` }),
      );
      const won = expectOneWinner(answers, 'precondition_failed');
      expect((await getPet(id)).text).toBe(won.text);
    }
  });

  it('applies to the actions of an order', async () => {
    const { id } = await store.placed((await store.create('Rex', 7)).id);
    const placed = await getOrder(id);
    expectError(await transition(id, 'approve', OTHER), 'precondition_failed');
    expectError(await transition(id, 'cancel', OTHER), 'precondition_failed');
    expect((await getOrder(id)).text).toBe(placed.text);
    const approved = await transition(id, 'approve', tagOf(placed));
    expect(orderOf(approved).status).toBe('approved');
    expectError(await transition(id, 'deliver', tagOf(placed)), 'precondition_failed');
    expect(orderOf(await transition(id, 'deliver', tagOf(approved))).status).toBe('delivered');
  });

  it('is checked after 404 and before 409', async () => {
    expectError(await remove('abc', OTHER), 'pet_not_found');
    expectError(await patch(-1n, OTHER), 'pet_not_found');
    expectError(await transition('abc', 'approve', OTHER), 'order_not_found');
    const pet = await store.create('Rex', 7);
    const { id } = await store.placed(pet.id);
    expectError(await remove(pet.id, OTHER), 'precondition_failed');
    expectError(await remove(pet.id, '*'), 'pet_has_open_order');
    expectError(await patch(pet.id, OTHER, { status: 'sold' }), 'precondition_failed');
    expectError(await transition(id, 'deliver', OTHER), 'precondition_failed');
    expectError(await transition(id, 'deliver', '*'), 'invalid_status_transition');
  });

  it('is checked after an idempotent replay, and its refusal is not stored', async () => {
    const { id } = await store.placed((await store.create('Rex', 7)).id);
    const tag = tagOf(await getOrder(id));
    const key = { 'idempotency-key': `approve ${id}` };
    expectError(await transition(id, 'approve', OTHER, key), 'precondition_failed');
    const approved = await transition(id, 'approve', tag, key);
    expect(approved.status).toBe(200);
    const replayed = await transition(id, 'approve', tag, key);
    expect([replayed.text, replayed.headers['idempotent-replayed']]).toEqual([approved.text, 'true']);
  });
});
