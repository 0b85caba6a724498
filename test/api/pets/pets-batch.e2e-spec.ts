import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { storeOf, type PetShape } from '../../support/store.js';

const PATH = '/v1/pets/batch';

describe.each(databaseKinds)('createPets on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    store.send({
      method: 'POST',
      path: PATH,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    });
  const countOf = async (name: string) =>
    (await onDatabase(service, 'select from pets where name = $1', [name])).length;

  it('adds 100 animals as one request, and answers with them in the order sent', async () => {
    const pets = Array.from({ length: 100 }, (_, index) => `{"name":"${99 - index}","categoryId":${index}}`);
    const before = await store.send({ path: '/v1/rate-limit' });
    const answer = await send(`{"pets":[${pets.join()}]}`);
    expect(answer.status).toBe(201);
    const added = answer.body as unknown as PetShape[];
    expect(added.map(({ name }) => name)).toEqual(pets.map((_, index) => String(99 - index)));
    expect(added.every(({ id }, index) => index === 0 || id > added[index - 1]!.id)).toBe(true);
    expect(added.every(({ status }) => status === 'available')).toBe(true);
    const used = (headers: Record<string, unknown>) => Number(headers['x-ratelimit-remaining']);
    expect(used(answer.headers)).toBe(used(before.headers) - 1);
  });

  it('keeps int64s and names exactly', async () => {
    const answer = await send(
      '{"pets":[{"name":"ñ\u2028🐕","categoryId":-9223372036854775808,"status":"sold"}]}',
    );
    expect(answer.text).toContain('"name":"ñ\u2028🐕","categoryId":-9223372036854775808,"status":"sold"');
  });

  it.each([
    ['{}', 'pets: expected an array of 1 to 100 animals, got nothing'],
    ['{"pets":[]}', 'pets: expected an array of 1 to 100 animals, got an array of 0'],
    ['{"pets":7}', 'pets: expected an array of 1 to 100 animals, got 7'],
    [
      JSON.stringify({ pets: Array(101).fill({}) }),
      'pets: expected an array of 1 to 100 animals, got an array of 101',
    ],
    ['{"pets":[null]}', 'pets[0]: expected a JSON object, got null'],
    [
      '{"pets":[{"name":"all or none","categoryId":1},{"categoryId":"x","name":""}]}',
      'pets[1].name: expected a string of 1 to 255 characters without U+0000 and lone surrogates, got an empty string; pets[1].categoryId: expected an integer that fits 64 bits, got "x"',
    ],
    [
      '{"pets":[{"name":"all or none","categoryId":1},{"name":"x","categoryId":1,"stauts":"sold"}]}',
      'pets[1]: "stauts": no such field (there are name, categoryId, status)',
    ],
  ])('refuses %s, naming index and field, and adds none', async (body, message) => {
    expect(expectError(await send(body), 'invalid_body')).toBe(message);
    expect(await countOf('all or none')).toBe(0);
  });

  it('names the first faults of many', async () => {
    const message = expectError(await send({ pets: Array(100).fill({ name: '' }) }), 'invalid_body');
    expect(message).toMatch(/^pets\[0\]\.name: .*; pets\[2\]\.name: .*; and 195 more$/);
  });

  it('is refused above 64 KiB', async () => {
    const long = { name: '語'.repeat(255), categoryId: 1 };
    expectError(await send({ pets: Array(100).fill(long) }), 'body_too_large');
  });

  it('is repeated under one Idempotency-Key', async () => {
    const body = '{"pets":[{"name":"repeated","categoryId":1},{"name":"repeated","categoryId":2}]}';
    const headers = { 'idempotency-key': 'a batch' };
    const first = await send(body, headers);
    const second = await send(body, headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await countOf('repeated')).toBe(2);
  });

  it('leaves other methods at its path to the operations of one animal', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expectError(
        await store.send({ method, path: PATH, ...(method === 'PATCH' && { body: '{"name":"x"}' }) }),
        'pet_not_found',
      );
    const answer = await store.send({ method: 'PUT', path: PATH });
    expectError(answer, 'method_not_allowed');
    expect(String(answer.headers.allow).split(', ').sort()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'PATCH',
      'POST',
    ]);
  });
});
