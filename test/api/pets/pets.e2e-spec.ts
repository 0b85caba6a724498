import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.js';
import { databaseKinds } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { petOf, storeOf } from '../../support/store.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

// store/states.e2e-spec.ts has the transitions of the status, errors.e2e-spec.ts the refused bodies of createPet.
describe.each(databaseKinds)('single animals on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);

  describe('createPet', () => {
    it('answers 201 with the animal and its Location', async () => {
      const answer = await store.post({ name: 'Rex', categoryId: 7 });
      expect(answer.status).toBe(201);
      const { id } = petOf(answer);
      expect(answer.body).toMatchObject({ id, name: 'Rex', categoryId: 7n, status: 'available' });
      expect(answer.headers.location).toBe(`/v1/pets/${id}`);
      const fetched = await store.get(`/v1/pets/${id}`);
      expect([fetched.text, fetched.headers.etag]).toEqual([answer.text, answer.headers.etag]);
    });

    it('answers each of many simultaneous callers with its own animal', async () => {
      const numbers = Array.from({ length: 64 }, (_, number) => number);
      const created = await Promise.all(numbers.map((number) => store.create(`own ${number}`, number)));
      expect(created.map(({ name }) => name)).toEqual(numbers.map((number) => `own ${number}`));
      for (const pet of created) expect((await store.get(`/v1/pets/${pet.id}`)).body).toEqual(pet);
    });

    it('keeps every int64 exactly, as updatePet does', async () => {
      const int64 = fc.oneof(
        fc.bigInt(MIN, MAX),
        fc.constantFrom(MIN, MAX, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n),
      );
      await fc.assert(
        fc.asyncProperty(int64, async (categoryId) => {
          const { id } = await store.create('Rex', categoryId);
          const changed = await store.update(
            (await store.create('Rex', 1)).id,
            `{"categoryId":${categoryId}}`,
          );
          for (const { text } of [await store.get(`/v1/pets/${id}`), changed])
            expect(text).toContain(`"categoryId":${categoryId},`);
        }),
        { numRuns: 50 },
      );
    });

    it('keeps every name byte for byte', async () => {
      const character = fc.oneof(
        anyCharacter,
        fc.constantFrom('é', 'e\u0301', '🐕', '\u200b', '\u{10ffff}', '"', '\\', '\u2028', ' '),
      );
      const name = fc
        .array(character, { minLength: 1, maxLength: 255 })
        .map((characters) => characters.join('').replaceAll('\0', '0'));
      await fc.assert(
        fc.asyncProperty(name, async (text) => {
          const pet = await store.create(text, 1);
          expect(pet.name).toBe(text);
          expect(petOf(await store.get(`/v1/pets/${pet.id}`)).name).toBe(text);
        }),
        { numRuns: 100, examples: [['🐕'.repeat(255)]] },
      );
    });
  });

  it('getPet sends the deprecation headers with every response', async () => {
    const { id } = await store.create('Rex', 1);
    const answers = await Promise.all([
      store.get(`/v1/pets/${id}`),
      store.get('/v1/pets/abc'),
      store.get(`/v1/pets/${id}?x=1`),
      store.get(`/v1/pets/${id}?x=%zz`),
      service.call({ path: `/v1/pets/${id}` }),
      service.call({ path: `/v1/pets/${id}`, key: 'ask_nonsense' }),
      store.send({ method: 'HEAD', path: `/v1/pets/${id}` }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 400, 401, 401, 200]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        deprecation: '@1795132800',
        sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
        // An error adds the link to its explanation.
        link: expect.stringMatching(
          /^<\/v1\/pets\?status=available>; rel="successor-version", <\/docs>; rel="deprecation"; type="text\/html"(, <\/docs\/errors#\w+>; rel="help")?$/,
        ),
        'x-stability': 'stable',
      });
  });

  it.each([{ name: 'Max' }, { categoryId: 9n }, { status: 'pending' }, { name: 'Max', status: 'sold' }])(
    'updatePet changes only the given fields: %p',
    async (changes) => {
      const pet = await store.create('Rex', 1);
      const answer = await store.update(pet.id, { ...changes, ...(changes.categoryId && { categoryId: 9 }) });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...pet, ...changes });
      expect((await store.list(`ids=${pet.id}`)).body).toEqual([{ ...pet, ...changes }]);
    },
  );

  it.each(
    '{} {"id":5} {"name":""} {"name":null} {"status":"lost"} {"categoryId":"7"} {"name":"Max","openOrderId":1} []'
      .split(' ')
      .concat(''),
  )('updatePet refuses the body %s', async (body) => {
    expectError(await store.update((await store.create('Rex', 1)).id, body), 'invalid_body');
  });

  it('deletePet answers 204 without a body, and the id is never used again', async () => {
    const { id } = await store.create('Rex', 1);
    const answer = await store.remove(id);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
    expect((await store.list(`ids=${id}`)).text).toBe('[]');
    expect((await store.create('Rex', 1)).id).toBeGreaterThan(id);
  });
});
