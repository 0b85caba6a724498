import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../../../src/platform/common/paging.js';
import type { PetFilter } from '../../../src/pets/list-pets.statement.js';
import { cursorScope } from '../../../src/pets/pets.service.js';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { storeOf, type PetShape } from '../../support/store.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const CATEGORY = 424_242n;
const OWN = `categoryId=${CATEGORY}`;

describe.each(databaseKinds)('the list of animals on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  let made: PetShape[];

  beforeAll(async () => {
    made = [];
    for (let index = 0; index < 45; index += 1)
      made.push(await store.create(`Pet ${index}`, CATEGORY, index % 3 === 0 ? 'sold' : 'available'));
  });

  const listed = async (query: string) => (await store.list(query)).body as unknown as PetShape[];
  const cursorAfter = async (query: string) => String((await store.list(query)).headers['x-next-cursor']);

  it('has 20 animals in ascending order of ids, or as many as the limit allows', async () => {
    expect(await listed(OWN)).toEqual(made.slice(0, 20));
    expect(await listed(`limit=1&${OWN}`)).toEqual(made.slice(0, 1));
    expect(await listed(`limit=100&${OWN}`)).toEqual(made);
  });

  it('can be filtered by status, category and ids, alone and combined', async () => {
    const sold = made.filter(({ status }) => status === 'sold');
    expect(await listed(`limit=100&status=sold&${OWN}`)).toEqual(sold);
    const ids = [made[4]!, made[6]!, made[3]!].map(({ id }) => id).join();
    expect(await listed(`ids=${ids}`)).toEqual([made[3], made[4], made[6]]);
    expect(await listed(`ids=${ids}&status=sold`)).toEqual([made[3], made[6]]);
    expect(await listed(`ids=${ids}&categoryId=1`)).toEqual([]);
    expect(await listed(`ids=${MIN},${MAX},${made[0]!.id},${made[0]!.id}`)).toEqual([made[0]]);
    for (const { status } of await listed('status=sold&limit=100')) expect(status).toBe('sold');
  });

  it('shows every animal exactly once over its pages while animals are added', async () => {
    expect(await store.walk(`limit=7&${OWN}`, { between: () => store.create('late', 5) })).toEqual(made);
    const sold = made.filter(({ status }) => status === 'sold');
    expect(await store.walk(`limit=4&status=sold&${OWN}`)).toEqual(sold);
    expect(await store.walk(`limit=10&ids=${made.map(({ id }) => id).join()}`)).toEqual(made);
    const ids = (await store.walk('limit=100')).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('begins with the lowest int64, and ends with the highest', async () => {
    const ends = { categoryId: 424_243n, status: 'sold' } as const;
    await onDatabase(
      service,
      `insert into pets (id, name, category_id, status) overriding system value
        select id, 'Rex', $2, $3 from unnest($1::bigint[]) id`,
      [[MIN, MAX].map(String), ends.categoryId, ends.status],
    );
    const [first, last] = [MIN, MAX].map((id) => ({ id, name: 'Rex', ...ends }));
    const { categoryId, status } = ends;
    const filters: PetFilter[] = [{}, { status }, { categoryId }, ends, { ids: [MIN, MAX] }];
    for (const filter of filters) {
      const query = `limit=1&${Object.entries(filter)
        .map((field) => field.join('='))
        .join('&')}`;
      const after = (id: bigint) => `${query}&cursor=${encodeCursor(cursorScope(filter), id)}`;
      expect(await listed(query)).toMatchObject([first!]);
      expect(await listed(after(MAX - 1n))).toMatchObject([last!]);
      expect(await listed(after(MAX))).toEqual([]);
    }
    // The last page is full, and has no cursor.
    expect(await store.walk(`limit=1&categoryId=${categoryId}`)).toMatchObject([first!, last!]);
    for (const id of [MIN, MAX]) expect((await store.remove(id)).status).toBe(204);
  });

  it('shows names exactly that read like its JSON', async () => {
    const categoryId = 424_244n;
    const names = [
      ',\\n{"id":7,"name":"Rex"}',
      ',{"id":7}',
      '"}],[{"id":7',
      '\\',
      '\\"',
      '{"id":',
      'Žofie 🐕 \u2028',
    ];
    const exact: PetShape[] = [];
    for (const name of names) exact.push(await store.create(name, categoryId));
    expect(exact.map(({ name }) => name)).toEqual(names);
    expect(await listed(`categoryId=${categoryId}`)).toEqual(exact);
    for (const limit of [1, 2, 5])
      expect(await store.walk(`limit=${limit}&categoryId=${categoryId}`)).toEqual(exact);
  });

  it('accepts a cursor with another limit and with the filters in another order', async () => {
    const cursor = await cursorAfter(`limit=7&${OWN}`);
    expect(await listed(`limit=3&${OWN}&cursor=${cursor}`)).toEqual(made.slice(7, 10));
    const ids = made.slice(0, 3).map(({ id }) => id);
    const ofIds = await cursorAfter(`limit=1&ids=${ids.join()}`);
    expect(await listed(`ids=${ids.toReversed().join()}&limit=1&cursor=${ofIds}`)).toEqual([made[1]]);
  });

  // cursor.spec.ts changes every character.
  it('refuses a cursor of other filters', async () => {
    const cursor = await cursorAfter(`limit=2&${OWN}`);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    for (const filters of ['', '&categoryId=1', `&${OWN}&status=sold`])
      expectError(await store.list(`cursor=${cursor}${filters}`), 'invalid_cursor');
  });

  it.each(['http://example.com/v1/pets', '/%761/pets', '/v1/p%65ts'])(
    'links to the next page from %s',
    async (path) => {
      const { headers } = await store.get(`${path}?limit=1&${OWN}`);
      const next = /^<(.+)>; rel="next"$/.exec(headers.link as string)?.[1];
      expect((await store.get(next!)).body).toMatchObject([{ id: made[1]!.id }]);
    },
  );

  it('is answered with 304 and the same paging headers if the ETag matches', async () => {
    const path = `/v1/pets?limit=1&${OWN}`;
    const { headers: first } = await store.get(path);
    const etag = first.etag!;
    expect(first['cache-control']).toBe('private, no-cache');
    for (const method of ['GET', 'HEAD'])
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await store.send({ method, path, headers: { 'if-none-match': held } });
        expect([method, held, again.status, again.text]).toEqual([method, held, 304, '']);
        for (const name of ['content-length', 'transfer-encoding'])
          expect(again.headers[name]).toBeUndefined();
        for (const name of ['x-next-cursor', 'link', 'etag']) expect(again.headers[name]).toBe(first[name]);
      }
    const statusOf = async (path: string, held: string) =>
      (await store.send({ path, headers: { 'if-none-match': held } })).status;
    expect(await statusOf(path, '"other"')).toBe(200);
    expect(await statusOf('/v1/pets/abc', '*')).toBe(404);
  });

  it('has a HEAD response with the headers of GET', async () => {
    const path = `/v1/pets?limit=1&${OWN}`;
    const [get, head] = [await store.get(path), await store.send({ method: 'HEAD', path })];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'x-next-cursor', 'link', 'x-stability'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  });
});
