import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import { Gathered } from '../database/gathered.js';
import { listStatement, listStatementName, type PageQuestion } from './list-pets.statement.js';
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

const FIND_MANY: Statement = {
  name: 'find-pets',
  text: `select ${COLUMNS} from pets where id = any($1::bigint[])`,
};

// One identity after the other, and the rows back, in the order of the lists.
const INSERT_MANY: Statement = {
  name: 'insert-pets',
  text: `insert into pets (name, category_id, status)
    select pet.name, pet.category_id, pet.status
    from unnest($1::text[], $2::bigint[], $3::text[]) with ordinality as pet (name, category_id, status, position)
    order by pet.position
    returning ${COLUMNS}`,
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

/** The statements about animals. Outside of transactions, what comes in one turn of the event loop goes as one. */
@Injectable()
export class PetsRepository {
  private readonly found = new Gathered<bigint, PetRow | undefined>((ids) => this.findMany(ids));
  private readonly inserted = new Gathered<Omit<Pet, 'id'>, PetRow>((pets) => this.insertMany(pets));

  /** By what they filter by. */
  private readonly listed = new Map<string, Gathered<PageQuestion, PetPageRow>>();

  constructor(private readonly database: Database) {}

  /** Together with others of the same turn, but never out of a transaction: that is one request's own. */
  async insert(pet: Omit<Pet, 'id'>): Promise<PetRow> {
    if (!this.database.isInTransaction) return this.inserted.ask(pet);
    const [row] = await this.insertMany([pet]);
    if (!row) throw new Error('an insert gave no row back');
    return row;
  }

  async find(id: bigint): Promise<PetRow | undefined> {
    if (!this.database.isInTransaction) return this.found.ask(id);
    const [row] = await this.findMany([id]);
    return row;
  }

  /** In their order: the ids ascend, and others may be given in between to somebody else. */
  insertMany(pets: readonly Omit<Pet, 'id'>[]): Promise<PetRow[]> {
    return this.database.query<PetRow>(INSERT_MANY, [
      pets.map(({ name }) => name),
      pets.map(({ categoryId }) => categoryId),
      pets.map(({ status }) => status),
    ]);
  }

  private async findMany(ids: bigint[]): Promise<(PetRow | undefined)[]> {
    const rows = await this.database.query<PetRow>(FIND_MANY, [ids]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
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
  list(filter: PetFilter, afterId: bigint | undefined, limit: number): Promise<PetPageRow> {
    const name = listStatementName(filter);
    let listed = this.listed.get(name);
    if (!listed) {
      const { statement, valuesOf } = listStatement(filter);
      listed = new Gathered((questions) => this.database.query<PetPageRow>(statement, valuesOf(questions)));
      this.listed.set(name, listed);
    }
    return listed.ask({ filter, afterId, limit });
  }
}
