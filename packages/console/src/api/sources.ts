import type { Page } from 'animal-store-client';
import type { Identifier } from 'react-admin';
import { client } from '../session/session';
import { int64Of, recordOf, type RecordOf } from './records';

export type Fields = Record<string, unknown>;
type Row = RecordOf<object>;

/** What react-admin's records of one kind are in the service. */
export interface Source {
  /** The filters that are int64s. */
  int64s: readonly string[];
  list: (query: Fields) => Promise<Page<object>>;
  one: (id: Identifier) => Promise<Row>;
  /** Reads many at once, where the service has an operation for it. */
  many?: (ids: Identifier[]) => Promise<Row[]>;
  create: (fields: Fields) => Promise<Row>;
  /** `fields`: all of the form, with those that have not changed. */
  update: (id: Identifier, changes: Fields, ifMatch: string, fields: Fields) => Promise<Row>;
  remove: (id: Identifier) => Promise<void>;
}

const MOST_IDS = 100;

const refused = () => Promise.reject(new Error('The console does not do this.'));

const animals: Source = {
  int64s: ['categoryId'],
  list: ({ id, ...query }) =>
    client().listPets({ ...query, ...(id !== undefined && { ids: [int64Of(id, 'animal number')] }) }),
  async one(id) {
    const { items, etag } = await client().listPets({ ids: [int64Of(id, 'animal number')] });
    if (items[0] === undefined) throw new Error(`There is no animal ${String(id)}.`);
    return recordOf(items[0], etag);
  },
  async many(ids) {
    const exact = ids.map((id) => int64Of(id));
    const chunks = Array.from({ length: Math.ceil(exact.length / MOST_IDS) }, (_, index) =>
      exact.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
    );
    const pages = await Promise.all(chunks.map((each) => client().listPets({ ids: each, limit: MOST_IDS })));
    return pages.flatMap(({ items }) => items.map((item) => recordOf(item)));
  },
  create: async (fields) => recordOf(await client().createPet(animalOf(fields) as never)),
  async update(id, changes, ifMatch) {
    const updated = await client().updatePet(int64Of(id), animalOf(changes), { ifMatch });
    return recordOf(updated, updated.etag);
  },
  remove: (id) => client().deletePet(int64Of(id)),
};

const animalOf = ({ categoryId, ...fields }: Fields) => ({
  ...fields,
  ...(categoryId !== undefined && { categoryId: int64Of(categoryId, 'category') }),
});

const orders: Source = {
  int64s: ['petId'],
  list: ({ id, ...query }) => (id === undefined ? client().listOrders(query) : onlyOrder(id)),
  async one(id) {
    const order = await client().getOrder(int64Of(id, 'order number'));
    return recordOf(order, order.etag);
  },
  create: refused,
  update: refused,
  remove: refused,
};

/** An order by its number, as a list of one. */
async function onlyOrder(id: unknown): Promise<Page<object>> {
  const order = await client().getOrder(int64Of(id, 'order number'));
  return { items: [order], nextCursor: undefined, etag: undefined, next: () => Promise.resolve(undefined) };
}

const keys: Source = {
  int64s: [],
  list: (query) => client().listKeys(query),
  async one(id) {
    const key = await client().getKey(String(id));
    return recordOf(key, key.etag);
  },
  create: async (fields) => recordOf(await client().createKey(fields as never)),
  async update(id, changes, ifMatch, fields) {
    const updated = await client().updateKey(String(id), withLimits(changes, fields), { ifMatch });
    return recordOf(updated, updated.etag);
  },
  remove: (id) => client().revokeKey(String(id)),
};

/** A plan and its limits are changed together: enterprise takes both limits, every other plan none. */
function withLimits({ perMinute, perDay, plan, ...others }: Fields, fields: Fields): Fields {
  if (plan === undefined && perMinute === undefined && perDay === undefined) return others;
  if (fields.plan !== 'enterprise') return plan === undefined ? others : { ...others, plan };
  return { ...others, plan: fields.plan, perMinute: fields.perMinute, perDay: fields.perDay };
}

const webhooks: Source = {
  int64s: [],
  list: (query) => client().listWebhooks(query),
  async one(id) {
    const webhook = await client().getWebhook(String(id));
    return recordOf(webhook, webhook.etag);
  },
  create: async (fields) => recordOf(await client().createWebhook(fields as never)),
  async update(id, changes, ifMatch) {
    const updated = await client().updateWebhook(String(id), changes, { ifMatch });
    return recordOf(updated, updated.etag);
  },
  remove: (id) => client().deleteWebhook(String(id)),
};

const SOURCES: Record<string, Source> = { animals, orders, keys, webhooks };

export function sourceOf(resource: string): Source {
  const source = SOURCES[resource];
  if (source === undefined) throw new Error(`The console has no ${resource}.`);
  return source;
}
