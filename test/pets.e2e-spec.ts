import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { call, type Answer, type Call } from './support/client.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { Service } from './support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

interface PetShape {
  id: bigint;
  name: string;
  categoryId: bigint;
  status: string;
}

describe.each(databaseKinds)('the catalogue on $name', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start(database.env);
    key = await service.issueKey();
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const send = (options: Call): Promise<Answer> => call(service.url, { key, ...options });
  const list = (query: string) => send({ path: `/v1/pets?${query}` });
  const post = (body: unknown) => send({ method: 'POST', path: '/v1/pets', body });
  const create = async (name: string, categoryId: bigint | number, status?: string): Promise<PetShape> => {
    const statusField = status === undefined ? '' : `,"status":"${status}"`;
    const answer = await post(
      `{"name":${JSON.stringify(name)},"categoryId":${String(categoryId)}${statusField}}`,
    );
    expect(answer.status).toBe(201);
    return answer.body as unknown as PetShape;
  };
  const petsOf = (answer: Answer) => answer.body as unknown as PetShape[];

  /** Follows X-Next-Cursor to the last page. */
  const walk = async (query: string, between?: () => Promise<unknown>): Promise<PetShape[]> => {
    const seen: PetShape[] = [];
    let page = await list(query);
    for (;;) {
      expect(page.status).toBe(200);
      seen.push(...petsOf(page));
      const cursor = page.headers['x-next-cursor'] as string | undefined;
      if (cursor === undefined) {
        expect(page.headers.link).toBeUndefined();
        return seen;
      }
      expect(page.headers.link).toBe(`</v1/pets?${query}&cursor=${cursor}>; rel="next"`);
      await between?.();
      page = await list(`${query}&cursor=${cursor}`);
    }
  };

  describe('createPet', () => {
    it('answers 201 with the animal and where it is', async () => {
      const answer = await post({ name: 'Rex', categoryId: 7 });
      expect(answer.status).toBe(201);
      const { id } = answer.body as unknown as PetShape;
      expect(answer.body).toEqual({ id, name: 'Rex', categoryId: 7n, status: 'available' });
      expect(answer.headers.location).toBe(`/v1/pets/${id}`);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers.etag).toBeUndefined();
      const fetched = await send({ path: answer.headers.location ?? '' });
      expect(fetched.text).toBe(answer.text);
    });

    it.each(['available', 'pending', 'sold'])('takes the status %s', async (status) => {
      expect((await create('Rex', 1, status)).status).toBe(status);
    });

    it('keeps every int64 to the last digit', async () => {
      const int64 = fc.oneof(
        fc.bigInt(MIN, MAX),
        fc.constantFrom(MIN, MAX, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n),
      );
      await fc.assert(
        fc.asyncProperty(int64, async (categoryId) => {
          const pet = await create('Rex', categoryId);
          expect(pet.categoryId).toBe(categoryId);
          expect((await send({ path: `/v1/pets/${pet.id}` })).text).toContain(`"categoryId":${categoryId},`);
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
    ])('takes %s for an integer', async (literal, value) => {
      const answer = await post(`{"name":"Rex","categoryId":${literal}}`);
      expect((answer.body as unknown as PetShape).categoryId).toBe(value);
    });

    it.each([
      '1.5',
      '9223372036854775808',
      '-9223372036854775809',
      '1e19',
      '1e400',
      '0.99999999999999999999',
      '"7"',
    ])('refuses the categoryId %s', async (literal) => {
      const answer = await post(`{"name":"Rex","categoryId":${literal}}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_body' });
      expect(answer.text).toContain('categoryId');
    });

    it('keeps every name byte for byte', async () => {
      const character = fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom('é', 'e\u0301', '🐕', '\u200b', '\u{10ffff}', '"', '\\', '\u2028', ' '),
      );
      const name = fc
        .array(character, { minLength: 1, maxLength: 255 })
        .map((characters) => characters.join('').replaceAll('\0', '0'));
      await fc.assert(
        fc.asyncProperty(name, async (text) => {
          const pet = await create(text, 1);
          expect(pet.name).toBe(text);
          expect((await send({ path: `/v1/pets/${pet.id}` })).body).toMatchObject({ name: text });
        }),
        { numRuns: 100 },
      );
    });

    it.each([
      ['empty', '""'],
      ['256 characters', JSON.stringify('x'.repeat(256))],
      ['256 characters outside the basic plane', JSON.stringify('🐕'.repeat(256))],
      ['U+0000', '"a\\u0000b"'],
      ['a lone surrogate', '"\\ud83d"'],
      ['a number', '5'],
      ['null', 'null'],
      ['an array nested 10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ])('refuses a name that is %s', async (_what, literal) => {
      const answer = await post(`{"name":${literal},"categoryId":1}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_body' });
      expect(answer.text).toContain('name: expected');
    });

    it('takes 255 characters, also outside the basic plane', async () => {
      const longest = '🐕'.repeat(255);
      expect((await create(longest, 1)).name).toBe(longest);
    });

    it('names everything wrong at once', async () => {
      const answer = await post({ nam: 'Rex', status: 'lost', categoryId: null });
      expect(answer.status).toBe(400);
      for (const field of [
        '"nam": no such field',
        'name: expected',
        'categoryId: expected',
        'status: expected',
      ]) {
        expect(JSON.parse(answer.text).message).toContain(field);
      }
    });
  });

  describe('getPet', () => {
    it('says on every answer that it is deprecated', async () => {
      const { id } = await create('Rex', 1);
      const answers = await Promise.all([
        send({ path: `/v1/pets/${id}` }),
        send({ path: '/v1/pets/abc' }),
        send({ path: `/v1/pets/${id}?x=1` }),
        call(service.url, { path: `/v1/pets/${id}` }),
        call(service.url, { path: `/v1/pets/${id}`, key: 'ask_nonsense' }),
        send({ method: 'HEAD', path: `/v1/pets/${id}` }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 401, 401, 200]);
      for (const { headers } of answers) {
        expect(headers['deprecation']).toBe('@1795132800');
        expect(headers['sunset']).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
        expect(headers.link).toBe(
          '</v1/pets?status=available>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
        );
        expect(headers['x-stability']).toBe('stable');
      }
    });

    it.each([
      'abc',
      '1.5',
      '99999999999999999999',
      '9223372036854775808',
      '0x1',
      '%20',
      '1%00',
      '01',
      '+1',
      '0',
    ])('answers 404 for the id %s', async (id) => {
      const answer = await send({ path: `/v1/pets/${id}` });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'pet_not_found', status: 404n });
    });
  });

  describe('listPets', () => {
    const category = 424_242n;
    let made: PetShape[];

    beforeAll(async () => {
      made = [];
      for (let index = 0; index < 45; index += 1) {
        made.push(await create(`Pet ${index}`, category, index % 3 === 0 ? 'sold' : 'available'));
      }
    });

    it('shows 20 animals, ascending by id, unless asked for more or fewer', async () => {
      const first = petsOf(await list(`categoryId=${category}`));
      expect(first).toEqual(made.slice(0, 20));
      expect(petsOf(await list(`limit=1&categoryId=${category}`))).toEqual(made.slice(0, 1));
      expect(petsOf(await list(`limit=100&categoryId=${category}`))).toEqual(made);
    });

    it.each(['0', '101', '-1', '1.5', 'abc', '', '1e1', ' 5', '+5', '0x5', '5;', '99999999999999999999'])(
      'refuses the limit %j',
      async (limit) => {
        const answer = await list(`limit=${encodeURIComponent(limit)}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ code: 'invalid_parameter' });
        expect(answer.text).toContain('limit: expected an integer from 1 to 100');
      },
    );

    it.each([
      'stauts=sold',
      'status=',
      'status=Sold',
      'status=sold&status=sold',
      'ids=',
      'ids=1,',
      'ids=1,x',
    ])('refuses %s', async (query) => {
      const answer = await list(query);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_parameter' });
      expect(JSON.parse(answer.text).message).toContain(query.split('=')[0]);
    });

    it('filters by status, category and ids, alone and together', async () => {
      const sold = made.filter(({ status }) => status === 'sold');
      expect(petsOf(await list(`limit=100&status=sold&categoryId=${category}`))).toEqual(sold);
      const some = [made[4]!, made[6]!, made[3]!];
      const ids = some.map(({ id }) => id).join(',');
      expect(petsOf(await list(`ids=${ids}`))).toEqual([made[3], made[4], made[6]]);
      expect(petsOf(await list(`ids=${ids}&status=sold`))).toEqual([made[3], made[6]]);
      expect(petsOf(await list(`ids=${ids}&categoryId=1`))).toEqual([]);
      expect(petsOf(await list(`ids=${MIN},${MAX},${made[0]!.id},${made[0]!.id}`))).toEqual([made[0]]);
      expect((await list('status=sold')).status).toBe(200);
      for (const { status } of petsOf(await list('status=pending&limit=100'))) expect(status).toBe('pending');
    });

    it('takes 100 ids and refuses 101', async () => {
      const ids = Array.from({ length: 101 }, (_, index) => index);
      expect((await list(`ids=${ids.slice(1).join(',')}`)).status).toBe(200);
      expect((await list(`ids=${ids.join(',')}`)).body).toMatchObject({ code: 'invalid_parameter' });
    });

    it('pages through everything exactly once, while animals are added', async () => {
      const seen = await walk(`limit=7&categoryId=${category}`, () => create('late', 5));
      expect(seen).toEqual(made);
      const sold = await walk(`limit=4&status=sold&categoryId=${category}`);
      expect(sold).toEqual(made.filter(({ status }) => status === 'sold'));
      const ids = made.map(({ id }) => id).join(',');
      expect(await walk(`limit=10&ids=${ids}`)).toEqual(made);
      const all = await walk('limit=50');
      const allIds = all.map(({ id }) => id);
      expect(new Set(allIds).size).toBe(allIds.length);
      expect([...allIds].sort((a, b) => (a < b ? -1 : 1))).toEqual(allIds);
    });

    it('has neither Link nor X-Next-Cursor on a last page that is full', async () => {
      const full = await list(`limit=45&categoryId=${category}`);
      expect(petsOf(full)).toHaveLength(45);
      expect(full.headers['x-next-cursor']).toBeUndefined();
      expect(full.headers.link).toBeUndefined();
    });

    it('lets the limit change between pages', async () => {
      const first = await list(`limit=7&categoryId=${category}`);
      const cursor = String(first.headers['x-next-cursor']);
      expect(petsOf(await list(`limit=3&categoryId=${category}&cursor=${cursor}`))).toEqual(
        made.slice(7, 10),
      );
    });

    it('refuses a cursor of other filters, and any cursor with one character changed', async () => {
      const cursor = String((await list(`limit=2&categoryId=${category}`)).headers['x-next-cursor']);
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
        const answer = await list(query);
        expect([query, (answer.body as { code?: string }).code]).toEqual([query, 'invalid_cursor']);
      }
    });

    it('knows the same filters however they are written', async () => {
      const ids = made.slice(0, 3).map(({ id }) => id);
      const cursor = String((await list(`limit=1&ids=${ids.join(',')}`)).headers['x-next-cursor']);
      const again = await list(`ids=${[...ids].reverse().join(',')}&limit=1&cursor=${cursor}`);
      expect(petsOf(again)).toEqual([made[1]]);
    });
  });

  describe('conditional requests', () => {
    it('answers 304 to whoever holds the answer already, with the same paging headers', async () => {
      await create('Rex', 77);
      await create('Rex', 77);
      const query = '/v1/pets?limit=1&categoryId=77';
      const first = await send({ path: query });
      const etag = String(first.headers.etag);
      expect(first.headers['cache-control']).toBe('private, no-cache');
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await send({ path: query, headers: { 'if-none-match': held } });
        expect([held, again.status, again.text]).toEqual([held, 304, '']);
        expect(again.headers['x-next-cursor']).toBe(first.headers['x-next-cursor']);
        expect(again.headers.link).toBe(first.headers.link);
        expect(again.headers.etag).toBe(etag);
      }
      expect((await send({ path: query, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
      expect((await send({ path: '/v1/pets/abc', headers: { 'if-none-match': '*' } })).status).toBe(404);
      expect((await post({ name: 'a', categoryId: 1 })).headers.etag).toBeUndefined();
    });

    it('answers HEAD as GET without the body', async () => {
      const get = await send({ path: '/v1/pets?limit=1' });
      const head = await send({ method: 'HEAD', path: '/v1/pets?limit=1' });
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      for (const name of ['etag', 'content-type', 'content-length', 'x-next-cursor', 'link', 'x-stability']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
    });
  });
});

describe('links', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await databaseKinds[0]!.create();
    service = await Service.start({
      ...database.env,
      PUBLIC_BASE_URL: 'https://api.example.com/store/v1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
      ENFORCE_SUNSET: 'true',
    });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('are built from PUBLIC_BASE_URL, and the removal date is enforced when an operator says so', async () => {
    const key = await service.issueKey();
    const made = await call(service.url, {
      method: 'POST',
      path: '/v1/pets',
      key,
      body: { name: 'a', categoryId: 1 },
    });
    expect(made.headers.location).toBe('https://api.example.com/store/v1/pets/1');
    await call(service.url, { method: 'POST', path: '/v1/pets', key, body: { name: 'b', categoryId: 1 } });
    const page = await call(service.url, { path: '/v1/pets?limit=1', key });
    expect(page.headers.link).toMatch(
      /^<https:\/\/api\.example\.com\/store\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    );

    const gone = await call(service.url, { path: '/v1/pets/1?unknown=1', key });
    expect(gone.body).toMatchObject({ code: 'endpoint_removed', status: 410n });
    expect(gone.headers.link).toContain('<https://api.example.com/store/docs>; rel="deprecation"');
    expect((await call(service.url, { path: '/v1/pets/1' })).status).toBe(401);

    const document = await call(service.url, { path: '/openapi.json' });
    expect(JSON.parse(document.text).servers.map(({ url }: { url: string }) => url)).toEqual([
      'https://api.example.com/store/v1',
      'https://staging.example.com/v1',
    ]);
  });
});
