import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import type { Pet, PetFilter, PetStatus } from './pet.js';

export interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: PetStatus;
}

/** A row with what only the store's rules need to know. */
export interface LockedPetRow extends PetRow {
  open_order_id: bigint | null;
}

/** A page of the list, as JSON. */
export interface PetPageRow {
  /** A JSON array of pets, in the shape that pet.mapper.ts gives one. */
  pets: string;
  last_id: bigint | null;
  has_more: boolean;
}

const COLUMNS = 'id, name, category_id, status';
// The members of a Pet, by name and in order: the database writes the page (docs/performance.md).
const MEMBERS = 'id, name, category_id as "categoryId", status';

const FIND: Statement = { name: 'find-pet', text: `select ${COLUMNS} from pets where id = $1` };

const INSERT: Statement = {
  name: 'insert-pet',
  text: `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${COLUMNS}`,
};

// One identity after the other, in the order of the lists.
const INSERT_MANY: Statement = {
  name: 'insert-pets',
  text: `with inserted as (
      insert into pets (name, category_id, status)
      select name, category_id, status
      from unnest($1::text[], $2::bigint[], $3::text[]) with ordinality as pet (name, category_id, status, position)
      order by position
      returning id
    )
    select min(id) as first_id, max(id) as last_id from inserted`,
};

const LOCK: Statement = {
  name: 'lock-pet',
  text: `select ${COLUMNS}, open_order_id from pets where id = $1 for update`,
};

const UPDATE: Statement = {
  name: 'update-pet',
  text: `update pets set name = $2, category_id = $3, status = $4 where id = $1 returning ${COLUMNS}`,
};

const DELETE: Statement = { name: 'delete-pet', text: 'delete from pets where id = $1' };

// Waits for whoever holds the row, then looks again: of any number of orders one gets the animal.
const RESERVE: Statement = {
  name: 'reserve-pet',
  text: `update pets set status = 'pending', open_order_id = $2
    where id = $1 and status = 'available' and open_order_id is null returning id`,
};

const RELEASE: Statement = {
  name: 'release-pet',
  text: `update pets set status = $3, open_order_id = null where id = $1 and open_order_id = $2 returning id`,
};

const COUNT: Statement = {
  name: 'count-pets',
  text: 'select status, count(*) as count from pets group by status',
};

@Injectable()
export class PetsRepository {
  constructor(private readonly database: Database) {}

  async insert(pet: Omit<Pet, 'id'>): Promise<PetRow> {
    const [row] = await this.database.query<PetRow>(INSERT, [pet.name, pet.categoryId, pet.status]);
    if (!row) throw new Error('an insert gave no row back');
    return row;
  }

  /** Resolves with the lowest and the highest id given; others may have been given in between to somebody else. */
  async insertMany(pets: readonly Omit<Pet, 'id'>[]): Promise<{ firstId: bigint; lastId: bigint }> {
    const [row] = await this.database.query<{ first_id: bigint; last_id: bigint }>(INSERT_MANY, [
      pets.map(({ name }) => name),
      pets.map(({ categoryId }) => categoryId),
      pets.map(({ status }) => status),
    ]);
    if (!row) throw new Error('an insert gave no row back');
    return { firstId: row.first_id, lastId: row.last_id };
  }

  async find(id: bigint): Promise<PetRow | undefined> {
    const [row] = await this.database.query<PetRow>(FIND, [id]);
    return row;
  }

  /** Holds the row until the transaction ends. */
  async lock(id: bigint): Promise<LockedPetRow | undefined> {
    const [row] = await this.database.query<LockedPetRow>(LOCK, [id]);
    return row;
  }

  async update({ id, name, categoryId, status }: Pet): Promise<PetRow> {
    const [row] = await this.database.query<PetRow>(UPDATE, [id, name, categoryId, status]);
    if (!row) throw new Error('an update of a locked row gave no row back');
    return row;
  }

  async delete(id: bigint): Promise<void> {
    await this.database.query(DELETE, [id]);
  }

  /** False when the animal is not there to be had. */
  async reserve(id: bigint, orderId: bigint): Promise<boolean> {
    return (await this.database.query(RESERVE, [id, orderId])).length > 0;
  }

  /** False when this order does not hold the animal. */
  async release(id: bigint, orderId: bigint, status: PetStatus): Promise<boolean> {
    return (await this.database.query(RELEASE, [id, orderId, status])).length > 0;
  }

  count(): Promise<{ status: PetStatus; count: bigint }[]> {
    return this.database.query(COUNT, []);
  }

  /** Ascending ids, those after `afterId` only; at most `limit` rows. A keyset read: any page costs what the first costs. */
  async list(filter: PetFilter, afterId: bigint | undefined, limit: number): Promise<PetPageRow> {
    const { statement, values } = listStatement(filter, afterId);
    const [page] = await this.database.query<PetPageRow>(statement, [...values, limit]);
    if (!page) throw new Error('an aggregate gave no row back');
    return page;
  }
}

/**
 * The id in the spelling of the one index made for these filters. No other index can give that order, so the planner cannot
 * walk the whole table, or a whole category, for the one sold animal in it (docs/decisions/0044).
 */
function orderOf({ ids, status, categoryId }: PetFilter): string {
  if (ids) return 'id';
  if (categoryId !== undefined) return status === undefined ? '(0 + id)' : '(id - 0)';
  return status === undefined ? 'id' : '(id + 0)';
}

/** One statement, and so one name and one plan, per combination of filters. */
function listStatement(
  filter: PetFilter,
  afterId: bigint | undefined,
): { statement: Statement; values: unknown[] } {
  const key = orderOf(filter);
  const conditions: string[] = [];
  const values: unknown[] = [];
  const names: string[] = [];
  const add = (name: string, condition: (placeholder: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${String(values.length)}`));
    names.push(name);
  };
  add('category', (placeholder) => `category_id = ${placeholder}`, filter.categoryId);
  add('status', (placeholder) => `status = ${placeholder}`, filter.status);
  add('ids', (placeholder) => `id = any(${placeholder}::bigint[])`, filter.ids);
  add('after', (placeholder) => `${key} > ${placeholder}`, afterId);
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  const limit = `$${String(values.length + 1)}::int`;
  // One row more than shown tells whether another page follows.
  const page = `select ${MEMBERS} from pets ${where} order by ${key} limit ${limit} + 1`;
  return {
    statement: {
      name: ['list-pets', ...names].join('-'),
      text: `select '[' || coalesce(array_to_string((array_agg(row_to_json(pet)::text))[1:${limit}], ','), '') || ']' as pets,
        (array_agg(id))[${limit}] as last_id, count(*) > ${limit} as has_more from (${page}) pet`,
    },
    values,
  };
}
