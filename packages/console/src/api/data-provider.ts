import type { DataProvider, GetListParams, RaRecord } from 'react-admin';
import { pageAt } from './paging';
import { httpErrorOf } from './problems';
import { ETAG, int64Of, recordOf, textOf } from './records';
import { sourceOf, type Fields } from './sources';

async function listOf(resource: string, { pagination, sort, filter }: Partial<GetListParams>) {
  const { page = 1, perPage = 25 } = pagination ?? {};
  const { int64s, list } = sourceOf(resource);
  const filters = Object.entries((filter ?? {}) as Fields)
    .filter(([, value]) => value !== '' && value !== undefined && value !== null)
    .map(([name, value]): [string, unknown] => [
      name,
      int64s.includes(name) ? int64Of(value, 'number') : value,
    ]);
  const query = {
    ...Object.fromEntries(filters),
    ...(sort?.order === 'DESC' ? { order: 'desc' } : {}),
  };
  const scope = `${resource} ${filters.map(([name, value]) => `${name}=${String(value)}`).join(' ')} ${sort?.order ?? ''}`;
  const { items, hasNextPage } = await pageAt(scope, page, perPage, (part) => list({ ...query, ...part }));
  return {
    data: items.map((item) => recordOf(item)),
    pageInfo: { hasNextPage, hasPreviousPage: page > 1 },
  };
}

/** Turns whatever fails into an error with a sentence; `fields` are those that a form shows. */
async function attempt<Result>(work: () => Promise<Result>, fields: Fields = {}): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw httpErrorOf(error, Object.keys(fields));
  }
}

/** The fields of a form that differ from the record that it began with. */
export function changesOf(data: Fields, previous: Fields): Fields {
  const hasChanged = ([name, value]: [string, unknown]) =>
    name !== 'id' && name !== ETAG && textOf(value) !== textOf(previous[name]);
  return Object.fromEntries(Object.entries(data).filter(hasChanged));
}

/** The service for react-admin. */
export const dataProvider = {
  getList: (resource, params) => attempt(() => listOf(resource, params)),
  getOne: (resource, { id }) => attempt(async () => ({ data: await sourceOf(resource).one(id as string) })),
  getMany: (resource, { ids }) =>
    attempt(async () => {
      const { many, one } = sourceOf(resource);
      if (many) return { data: await many(ids) };
      const found = await Promise.allSettled(ids.map(one));
      return { data: found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])) };
    }),
  getManyReference: (resource, { target, id, filter, ...params }) =>
    attempt(() => listOf(resource, { ...params, filter: { ...(filter as Fields), [target]: id as string } })),
  create: (resource, { data }) =>
    attempt(async () => ({ data: await sourceOf(resource).create(data as Fields) }), data as Fields),
  update: (resource, { id, data, previousData }) =>
    attempt(async () => {
      const [fields, previous] = [data as Fields, previousData as RaRecord];
      const changes = changesOf(fields, previous);
      // The service refuses an update of nothing, and there is nothing to do.
      if (Object.keys(changes).length === 0) return { data: previous };
      const ifMatch = previous[ETAG] as string;
      return { data: await sourceOf(resource).update(id as string, changes, ifMatch, fields) };
    }, data as Fields),
  delete: (resource, { id, previousData }) =>
    attempt(async () => {
      await sourceOf(resource).remove(id);
      return { data: previousData ?? { id } };
    }),
  updateMany: () => Promise.reject(new Error('Several are changed one by one.')),
  deleteMany: () => Promise.reject(new Error('Several are deleted one by one.')),
} as DataProvider;
