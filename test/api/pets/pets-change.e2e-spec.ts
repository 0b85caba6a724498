import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { Store } from '../../support/store.js';

describe.each(databaseKinds)('animals on $name', (kind) => {
  const service = sharedService(kind);
  let store: Store;

  beforeAll(async () => {
    store = new Store(service.url, await service.issueKey());
  });

  describe('updatePet', () => {
    it.each([
      [{ name: 'Max' }, { name: 'Max' }],
      [{ categoryId: 9 }, { categoryId: 9n }],
      [{ status: 'pending' }, { status: 'pending' }],
      [
        { name: 'Max', status: 'sold' },
        { name: 'Max', status: 'sold' },
      ],
      [{ status: 'available' }, {}],
    ])('accepts %j', async (changes, changed) => {
      const pet = await store.create('Rex', 1);
      const answer = await store.update(pet.id, changes);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...pet, ...changed });
      expect(answer.headers['x-stability']).toBe('beta');
      expect(answer.headers.deprecation).toBeUndefined();
      expect((await store.list(`ids=${pet.id}`)).body).toEqual([{ ...pet, ...changed }]);
    });

    it('keeps an int64 exactly', async () => {
      const { id } = await store.create('Rex', 1);
      const answer = await store.update(id, '{"categoryId":9007199254740993}');
      expect(answer.text).toContain('"categoryId":9007199254740993,');
    });

    it.each([
      ['available', 'available', true],
      ['available', 'pending', true],
      ['available', 'sold', true],
      ['pending', 'available', true],
      ['pending', 'pending', true],
      ['pending', 'sold', true],
      ['sold', 'sold', true],
      ['sold', 'available', false],
      ['sold', 'pending', false],
    ])('changes the status from %s to %s: %s', async (from, to, isAllowed) => {
      const { id } = await store.create('Rex', 1, from);
      const answer = await store.update(id, { status: to });
      if (isAllowed) expect(answer.body).toMatchObject({ status: to });
      else expect(expectError(answer, 'invalid_status_transition')).toContain('sold');
      expect(await store.statusOf(id)).toBe(isAllowed ? to : from);
    });

    it('changes no field when one field is refused', async () => {
      const { id } = await store.create('Rex', 1, 'sold');
      expectError(await store.update(id, { name: 'Max', status: 'available' }), 'invalid_status_transition');
      expect((await store.list(`ids=${id}`)).text).toContain('Rex');
    });

    it.each([
      '{}',
      '{"id":5}',
      '{"name":""}',
      '{"name":null}',
      '{"status":"lost"}',
      '{"categoryId":"7"}',
      '{"name":"Max","openOrderId":1}',
      '[]',
      '',
    ])('refuses the body %s', async (body) => {
      const { id } = await store.create('Rex', 1);
      expectError(await store.update(id, body), 'invalid_body');
    });

    it.each(['0', 'abc', '1.5', '99999999999999999999'])(
      'answers pet_not_found for the id %s',
      async (id) => {
        expectError(await store.update(id, { name: 'Max' }), 'pet_not_found');
      },
    );
  });

  describe('deletePet', () => {
    it('answers 204 without a body, and then 404', async () => {
      const { id } = await store.create('Rex', 1);
      const answer = await store.remove(id);
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
      expectError(await store.remove(id), 'pet_not_found');
      expectError(await store.update(id, { name: 'Max' }), 'pet_not_found');
      expect((await store.list(`ids=${id}`)).text).toBe('[]');
    });

    it('never reuses an id', async () => {
      const { id } = await store.create('Rex', 1);
      await store.remove(id);
      expect((await store.create('Rex', 1)).id).toBeGreaterThan(id);
    });

    it.each(['0', 'abc', '1.5', '99999999999999999999'])(
      'answers pet_not_found for the id %s',
      async (id) => {
        expectError(await store.remove(id), 'pet_not_found');
      },
    );
  });

  describe('an animal with an open order', () => {
    it.each(['placed', 'approved'])('keeps its status and cannot be deleted (order %s)', async (state) => {
      const { id } = await store.create('Rex', 1);
      const order = await store.placed(id);
      if (state === 'approved') await store.act(order.id, 'approve');
      for (const status of ['available', 'sold'])
        expectError(await store.update(id, { name: 'Max', status }), 'pet_has_open_order');
      expectError(await store.remove(id), 'pet_has_open_order');
      const answer = await store.update(id, { name: 'Max', status: 'pending' });
      expect(answer.body).toEqual({ id, name: 'Max', categoryId: 1n, status: 'pending' });
    });

    it('can be changed and deleted once the order has ended', async () => {
      const { id } = await store.create('Rex', 1);
      const order = await store.placed(id);
      await store.act(order.id, 'cancel');
      expect((await store.update(id, { status: 'sold' })).status).toBe(200);
      expect((await store.remove(id)).status).toBe(204);
    });
  });

  it('are either ordered or deleted when both are requested at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await store.create('Rex', 1);
      const [ordered, removed] = await Promise.all([store.order(id), store.remove(id)]);
      if (ordered.status === 201) expectError(removed, 'pet_has_open_order');
      else {
        expectError(ordered, 'pet_not_found');
        expect(removed.status).toBe(204);
      }
    }
  });
});
