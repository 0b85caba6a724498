import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../src/common/any-character-under-test.js';
import { Catalogue, type PetShape } from '../../support/store.js';
import { call } from '../../support/http/client.js';
import { databaseKinds } from '../../support/databases.js';
import { sharedService } from '../../support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

describe.each(databaseKinds)('single animals on $name', (kind) => {
  const service = sharedService(kind);
  let catalogue: Catalogue;

  beforeAll(async () => {
    catalogue = new Catalogue(service.url, await service.issueKey());
  });

  describe('createPet', () => {
    it('answers 201 with the animal and its Location', async () => {
      const answer = await catalogue.post({ name: 'Rex', categoryId: 7 });
      expect(answer.status).toBe(201);
      const { id } = answer.body as unknown as PetShape;
      expect(answer.body).toEqual({ id, name: 'Rex', categoryId: 7n, status: 'available' });
      expect(answer.headers.location).toBe(`/v1/pets/${id}`);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const fetched = await catalogue.send({ path: answer.headers.location ?? '' });
      expect(answer.headers.etag).toBe(fetched.headers.etag);
      expect(fetched.text).toBe(answer.text);
    });

    it('answers each of many simultaneous callers with its own animal', async () => {
      const numbers = Array.from({ length: 64 }, (_, number) => number);
      const created = await Promise.all(numbers.map((number) => catalogue.create(`own ${number}`, number)));
      expect(created).toMatchObject(
        numbers.map((number) => ({ name: `own ${number}`, categoryId: BigInt(number) })),
      );
      for (const pet of created)
        expect((await catalogue.send({ path: `/v1/pets/${pet.id}` })).body).toEqual(pet);
    });

    it.each(['available', 'pending', 'sold'])('accepts the status %s', async (status) => {
      expect((await catalogue.create('Rex', 1, status)).status).toBe(status);
    });

    it('keeps every int64 exactly', async () => {
      const int64 = fc.oneof(
        fc.bigInt(MIN, MAX),
        fc.constantFrom(MIN, MAX, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n),
      );
      await fc.assert(
        fc.asyncProperty(int64, async (categoryId) => {
          const pet = await catalogue.create('Rex', categoryId);
          expect(pet.categoryId).toBe(categoryId);
          expect((await catalogue.send({ path: `/v1/pets/${pet.id}` })).text).toContain(
            `"categoryId":${categoryId},`,
          );
        }),
        { numRuns: 50 },
      );
    });

    it.each([
      ['1.0', 1n],
      ['1e2', 100n],
      ['-0', 0n],
      ['12345678901234567.00', 12345678901234567n],
      ['9.223372036854775807e18', MAX],
      ['10e-1', 1n],
    ])('reads %s as an integer', async (literal, value) => {
      const answer = await catalogue.post(`{"name":"Rex","categoryId":${literal}}`);
      expect((answer.body as unknown as PetShape).categoryId).toBe(value);
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
          const pet = await catalogue.create(text, 1);
          expect(pet.name).toBe(text);
          expect((await catalogue.send({ path: `/v1/pets/${pet.id}` })).body).toMatchObject({ name: text });
        }),
        { numRuns: 100, examples: [['🐕'.repeat(255)]] },
      );
    });
  });

  describe('getPet', () => {
    it('sends the deprecation headers with every response', async () => {
      const { id } = await catalogue.create('Rex', 1);
      const answers = await Promise.all([
        catalogue.send({ path: `/v1/pets/${id}` }),
        catalogue.send({ path: '/v1/pets/abc' }),
        catalogue.send({ path: `/v1/pets/${id}?x=1` }),
        call(service.url, { path: `/v1/pets/${id}` }),
        call(service.url, { path: `/v1/pets/${id}`, key: 'ask_nonsense' }),
        catalogue.send({ method: 'HEAD', path: `/v1/pets/${id}` }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 401, 401, 200]);
      for (const { headers } of answers) {
        expect(headers.deprecation).toBe('@1795132800');
        expect(headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
        expect(headers.link).toBe(
          '</v1/pets?status=available>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
        );
        expect(headers['x-stability']).toBe('stable');
      }
    });
  });
});
