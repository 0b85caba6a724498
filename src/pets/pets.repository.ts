import { Injectable } from '@nestjs/common';
import { INT64_MAX } from '../platform/common/int64.js';
import { columnsOf, Database, type Statement } from '../platform/database/database.js';
import { BatchLoader } from '../platform/overload/batch-loader.js';
import { SharedRead } from '../platform/overload/shared-read.js';
import {
  listStatement,
  pageOf,
  type ListedPets,
  type PetFilter,
  type PetPage,
} from './list-pets.statement.js';
import { type NewPet, PET_COLUMNS, PetEntity } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';

const COLUMNS = columnsOf(PetEntity);
const WRITTEN = Object.keys(PET_COLUMNS) as (keyof NewPet)[];

const FIND: Statement = {
  name: 'find-pet',
  text: `select ${COLUMNS} from pets where id = $1`,
  isRead: true,
};

/**
 * Adds `count` animals. PostgreSQL assigns the ids in the order of the rows. Not `insert ... select`, which takes Citus eight times
 * as long.
 */
const insertStatement = (count: number): Statement => ({
  name: count === 1 ? 'insert-pet' : `insert-${count}-pets`,
  text: `insert into pets (${Object.values(PET_COLUMNS).join(', ')}) values ${rowsOf(count)} returning ${COLUMNS}`,
});

/** The placeholders of `count` rows: ($1, $2, $3), ($4, $5, $6). */
const rowsOf = (count: number): string => {
  const row = (first: number) => WRITTEN.map((_, column) => `$${first + column}`).join(', ');
  return Array.from({ length: count }, (_, index) => `(${row(index * WRITTEN.length + 1)})`).join(', ');
};

const LOCK: Statement = { name: 'lock-pet', text: `${FIND.text} for update` };

const UPDATE: Statement = {
  name: 'update-pet',
  text: `update pets set ${Object.values(PET_COLUMNS)
    .map((name, index) => `${name} = $${index + 2}`)
    .join(', ')} where id = $1 returning ${COLUMNS}`,
};

const DELETE: Statement = { name: 'delete-pet', text: 'delete from pets where id = $1' };

// Waits for the transaction that holds the row and then checks it again: of many orders, one gets the animal.
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
  text: `select sum(available)::bigint as available, sum(pending)::bigint as pending, sum(sold)::bigint as sold
    from pet_counts`,
  isRead: true,
};

/**
 * Inserts outside of transactions. Each statement uses one connection of the pool. A larger statement saves little more, and its second half
 * could run on another connection.
 */
const INSERTS = { maxStatements: 2, keysPerStatement: 16, maxWaitMs: 3_000 };

/** The number of animals of every status. */
type PetCounts = Record<PetStatus, bigint>;

/** The statements about animals. Animals that are added while other inserts are under way share one statement and one commit. */
@Injectable()
export class PetsRepository {
  private readonly inserter = new BatchLoader((pets: readonly NewPet[]) => this.insertMany(pets), INSERTS);

  private readonly counts = new SharedRead(async () =>
    single(await this.database.query<PetCounts>(COUNT, [])),
  );

  constructor(private readonly database: Database) {}

  async insert(pet: NewPet): Promise<PetEntity> {
    if (!this.database.isInTransaction) return this.inserter.load(pet);
    return single(await this.insertMany([pet]));
  }

  /** `lock`: locks the row until the transaction ends. */
  async find(id: bigint, { lock }: { lock: boolean }): Promise<PetEntity | undefined> {
    const [pet] = await this.database.query<PetEntity>(lock ? LOCK : FIND, [id]);
    return pet;
  }

  /** Resolves with the rows in the order of `pets`: their ids ascend, with gaps where other requests insert. */
  async insertMany(pets: readonly NewPet[]): Promise<PetEntity[]> {
    const values = pets.flatMap(valuesOf);
    const rows = await this.database.query<PetEntity>(insertStatement(pets.length), values);
    // Distributed tables return them by shard.
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async update(pet: NewPet & { id: bigint }): Promise<PetEntity> {
    return single(await this.database.query<PetEntity>(UPDATE, [pet.id, ...valuesOf(pet)]));
  }

  async delete(id: bigint): Promise<void> {
    await this.database.query(DELETE, [id]);
  }

  /** Resolves with false when the animal does not exist or is not available. */
  async reserve(id: bigint, orderId: bigint): Promise<boolean> {
    return (await this.database.query(RESERVE, [id, orderId])).length > 0;
  }

  /** Resolves with false when the order does not reserve the animal. */
  async release(id: bigint, orderId: bigint, status: PetStatus): Promise<boolean> {
    return (await this.database.query(RELEASE, [id, orderId, status])).length > 0;
  }

  /** Exact, in constant time (PetCountsEntity). Simultaneous callers share reads, so many of them do not crowd out other requests. */
  count(): Promise<PetCounts> {
    return this.counts.load();
  }

  /** At most `limit` animals with ids above `afterId`, ascending. A keyset read: every page costs what the first one costs. */
  async list(filter: PetFilter, limit: number, afterId: bigint | undefined): Promise<PetPage> {
    // No id follows, and an int64 cannot hold the next number.
    if (afterId === INT64_MAX) return { pets: '[]', lastId: undefined };
    const { statement, values } = listStatement(filter, limit, afterId);
    return pageOf(single(await this.database.query<ListedPets>(statement, values)), limit);
  }
}

function valuesOf(pet: NewPet): unknown[] {
  return WRITTEN.map((property) => pet[property]);
}

function single<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that returns one row returned none');
  return row;
}
