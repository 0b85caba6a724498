import { beforeAll, describe, expect, it } from '@jest/globals';
import { Catalogue } from '../support/store.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { document, type OperationObject } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';

const ROWS = 250;

interface Bound {
  minimum?: number;
  maximum?: number;
  default?: number;
}

function answersWithArray({ responses }: OperationObject): boolean {
  const schema = (responses['200']?.content?.['application/json']?.schema ?? {}) as Record<string, unknown>;
  const named = document.components.schemas[String(schema.$ref).replace('#/components/schemas/', '')];
  return (named ?? schema).type === 'array';
}

/** Every operation that answers with an array, and the parameter that bounds it. */
const lists = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) => {
    if (method !== 'get' || !answersWithArray(operation)) return [];
    const { parameters } = operation as unknown as { parameters: { name: string; schema: Bound }[] };
    const bound = parameters.find(({ schema: of }) => of.maximum !== undefined);
    return [[path, bound?.name, bound?.schema] as [string, string | undefined, Bound | undefined]];
  }),
);

describe('list operations', () => {
  const service = sharedService(anyKind);
  let catalogue: Catalogue;
  let petIds: string[];

  beforeAll(async () => {
    const { key, id } = await service.issue();
    catalogue = new Catalogue(service.url, key);
    const rows = await onDatabase<{ id: string }>(
      service,
      `with added as (
          insert into pets (name, category_id, status) select 'Rex', 1, 'available' from generate_series(1, ${ROWS}) returning id
        )
        insert into orders (pet_id, key_id, status) select id, '${id}', 'cancelled' from added returning pet_id as id`,
    );
    petIds = rows.map((row) => row.id);
  });

  const lengthOf = async (target: string) => {
    const { status, body } = await catalogue.send({ path: `/v1${target}` });
    expect(status).toBe(200);
    return (body as unknown[]).length;
  };

  it('are the ones that these tests cover', () => {
    expect(lists.map(([path]) => path)).toEqual(['/pets', '/store/orders', '/usage']);
  });

  it.each(lists)('bound the length of a response: %s with %s', async (path, name, bound) => {
    const { minimum = 0, maximum = Infinity, default: pageLength = Infinity } = bound ?? {};
    expect([minimum, maximum <= 100, pageLength <= maximum]).toEqual([1, true, true]);
    expect(await lengthOf(path)).toBe(pageLength);
    expect(await lengthOf(`${path}?${name}=${maximum}`)).toBe(maximum);
    for (const tooMuch of [maximum + 1, 2 ** 31, -1, 0])
      expectError(await catalogue.send({ path: `/v1${path}?${name}=${tooMuch}` }), 'invalid_parameter');
  });

  it('accept at most as many ids as a page may have rows', async () => {
    const ids = (count: number) => petIds.slice(0, count).join(',');
    expect(await lengthOf(`/pets?limit=100&ids=${ids(100)}`)).toBe(100);
    expectError(await catalogue.list(`ids=${ids(101)}`), 'invalid_parameter');
  });
});
