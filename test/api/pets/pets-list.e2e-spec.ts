import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../../../src/common/paging/cursor.js';
import type { PetFilter } from '../../../src/pets/list-pets.statement.js';
import { cursorScope } from '../../../src/pets/pets.service.js';
import { Catalogue, petsOf, type PetShape } from '../../support/store.js';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { sharedService } from '../../support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

describe.each(databaseKinds)('the list of animals on $name', (kind) => {
  const service = sharedService(kind);
  let catalogue: Catalogue;

  beforeAll(async () => {
    catalogue = new Catalogue(service.url, await service.issueKey());
  });

  describe('listPets', () => {
    const category = 424_242n;
    let made: PetShape[];

    beforeAll(async () => {
      made = [];
      for (let index = 0; index < 45; index += 1) {
        made.push(await catalogue.create(`Pet ${index}`, category, index % 3 === 0 ? 'sold' : 'available'));
      }
    });

    it('returns 20 animals in ascending order of ids, or as many as the limit allows', async () => {
      const first = petsOf(await catalogue.list(`categoryId=${category}`));
      expect(first).toEqual(made.slice(0, 20));
      expect(petsOf(await catalogue.list(`limit=1&categoryId=${category}`))).toEqual(made.slice(0, 1));
      expect(petsOf(await catalogue.list(`limit=100&categoryId=${category}`))).toEqual(made);
    });

    it('filters by status, category and ids, alone and combined', async () => {
      const sold = made.filter(({ status }) => status === 'sold');
      expect(petsOf(await catalogue.list(`limit=100&status=sold&categoryId=${category}`))).toEqual(sold);
      const some = [made[4]!, made[6]!, made[3]!];
      const ids = some.map(({ id }) => id).join(',');
      expect(petsOf(await catalogue.list(`ids=${ids}`))).toEqual([made[3], made[4], made[6]]);
      expect(petsOf(await catalogue.list(`ids=${ids}&status=sold`))).toEqual([made[3], made[6]]);
      expect(petsOf(await catalogue.list(`ids=${ids}&categoryId=1`))).toEqual([]);
      expect(petsOf(await catalogue.list(`ids=${MIN},${MAX},${made[0]!.id},${made[0]!.id}`))).toEqual([
        made[0],
      ]);
      expect((await catalogue.list('status=sold')).status).toBe(200);
      for (const { status } of petsOf(await catalogue.list('status=pending&limit=100')))
        expect(status).toBe('pending');
    });

    it('pages through every animal exactly once while animals are added', async () => {
      const seen = await catalogue.walk(`limit=7&categoryId=${category}`, () => catalogue.create('late', 5));
      expect(seen).toEqual(made);
      const sold = await catalogue.walk(`limit=4&status=sold&categoryId=${category}`);
      expect(sold).toEqual(made.filter(({ status }) => status === 'sold'));
      const ids = made.map(({ id }) => id).join(',');
      expect(await catalogue.walk(`limit=10&ids=${ids}`)).toEqual(made);
      const all = await catalogue.walk('limit=50');
      const allIds = all.map(({ id }) => id);
      expect(new Set(allIds).size).toBe(allIds.length);
      expect([...allIds].sort((a, b) => (a < b ? -1 : 1))).toEqual(allIds);
    });

    it('begins with the lowest int64, and ends with the highest', async () => {
      const ends = { categoryId: 424_243n, status: 'sold' } as const;
      await onDatabase(
        service,
        `insert into pets (id, name, category_id, status) overriding system value
          select id, 'Rex', $2, $3 from unnest($1::bigint[]) id`,
        [[MIN, MAX].map(String), ends.categoryId, ends.status],
      );
      const filters: PetFilter[] = [
        {},
        { status: 'sold' },
        { categoryId: ends.categoryId },
        ends,
        { ids: [MIN, MAX] },
      ];
      for (const filter of filters) {
        const query = `limit=1${Object.entries(filter)
          .map(([name, value]) => `&${name}=${value}`)
          .join('')}`;
        expect(petsOf(await catalogue.list(query))).toEqual([{ id: MIN, name: 'Rex', ...ends }]);
        const last = encodeCursor(cursorScope(filter), MAX - 1n);
        expect(petsOf(await catalogue.list(`${query}&cursor=${last}`))).toEqual([
          { id: MAX, name: 'Rex', ...ends },
        ]);
        const after = encodeCursor(cursorScope(filter), MAX);
        expect(petsOf(await catalogue.list(`${query}&cursor=${after}`))).toEqual([]);
      }
      const walked = await catalogue.walk(`limit=1&categoryId=${ends.categoryId}`);
      expect(walked.map(({ id }) => id)).toEqual([MIN, MAX]);
      for (const id of [MIN, MAX])
        expect((await catalogue.send({ method: 'DELETE', path: `/v1/pets/${id}` })).status).toBe(204);
    });

    it('sends neither Link nor X-Next-Cursor with a full last page', async () => {
      const full = await catalogue.list(`limit=45&categoryId=${category}`);
      expect(petsOf(full)).toHaveLength(45);
      expect(full.headers['x-next-cursor']).toBeUndefined();
      expect(full.headers.link).toBeUndefined();
    });

    it('accepts another limit on the next page', async () => {
      const first = await catalogue.list(`limit=7&categoryId=${category}`);
      const cursor = String(first.headers['x-next-cursor']);
      expect(petsOf(await catalogue.list(`limit=3&categoryId=${category}&cursor=${cursor}`))).toEqual(
        made.slice(7, 10),
      );
    });

    it('refuses a cursor of other filters or with one changed character', async () => {
      const cursor = String(
        (await catalogue.list(`limit=2&categoryId=${category}`)).headers['x-next-cursor'],
      );
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      const foreign = [
        `cursor=${cursor}`,
        `cursor=${cursor}&categoryId=1`,
        `cursor=${cursor}&categoryId=${category}&status=sold`,
        `cursor=&categoryId=${category}`,
        `cursor=${cursor}A&categoryId=${category}`,
        `cursor=${cursor}%3D&categoryId=${category}`,
        `cursor=%20${cursor}&categoryId=${category}`,
      ];
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      for (let index = 0; index < cursor.length; index += 1) {
        const other = alphabet[(alphabet.indexOf(cursor[index]!) + 1) % 64]!;
        foreign.push(
          `cursor=${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}&categoryId=${category}`,
        );
      }
      for (const query of foreign) {
        const answer = await catalogue.list(query);
        expect([query, (answer.body as { code?: string }).code]).toEqual([query, 'invalid_cursor']);
      }
    });

    it('accepts a cursor with its filters in another order', async () => {
      const ids = made.slice(0, 3).map(({ id }) => id);
      const cursor = String((await catalogue.list(`limit=1&ids=${ids.join(',')}`)).headers['x-next-cursor']);
      const again = await catalogue.list(`ids=${[...ids].reverse().join(',')}&limit=1&cursor=${cursor}`);
      expect(petsOf(again)).toEqual([made[1]]);
    });
  });

  describe('conditional requests', () => {
    it('are answered with 304 and the same paging headers if the ETag matches', async () => {
      await catalogue.create('Rex', 77);
      await catalogue.create('Rex', 77);
      const query = '/v1/pets?limit=1&categoryId=77';
      const first = await catalogue.send({ path: query });
      const etag = String(first.headers.etag);
      expect(first.headers['cache-control']).toBe('private, no-cache');
      const asked = ['GET', 'HEAD'].flatMap((method) =>
        [etag, `W/${etag}`, `"other", ${etag}`, '*'].map((held) => ({ method, held })),
      );
      for (const { method, held } of asked) {
        const again = await catalogue.send({ method, path: query, headers: { 'if-none-match': held } });
        expect([method, held, again.status, again.text]).toEqual([method, held, 304, '']);
        expect(again.headers['content-length']).toBeUndefined();
        expect(again.headers['transfer-encoding']).toBeUndefined();
        expect(again.headers['x-next-cursor']).toBe(first.headers['x-next-cursor']);
        expect(again.headers.link).toBe(first.headers.link);
        expect(again.headers.etag).toBe(etag);
      }
      expect((await catalogue.send({ path: query, headers: { 'if-none-match': '"other"' } })).status).toBe(
        200,
      );
      expect((await catalogue.send({ path: '/v1/pets/abc', headers: { 'if-none-match': '*' } })).status).toBe(
        404,
      );
      const created = await catalogue.post({ name: 'a', categoryId: 1 });
      const shown = await catalogue.send({ path: String(created.headers.location) });
      expect(created.headers.etag).toMatch(/^"[\w-]+"$/);
      expect(created.headers.etag).toBe(shown.headers.etag);
    });

    it('have a HEAD response with the headers of GET', async () => {
      const get = await catalogue.send({ path: '/v1/pets?limit=1&categoryId=77' });
      const head = await catalogue.send({ method: 'HEAD', path: '/v1/pets?limit=1&categoryId=77' });
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      for (const name of ['etag', 'content-type', 'content-length', 'x-next-cursor', 'link', 'x-stability']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
    });
  });
});
