import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, type FindOptionsWhere, IsNull, Repository } from 'typeorm';
import { batches } from '../platform/database/batches.js';
import { columnsOf } from '../platform/database/columns-of.js';
import { Database, type Statement } from '../platform/database/database.js';
import {
  JSON_OF_PET,
  listStatement,
  pageOf,
  type ListedPets,
  type PetFilter,
  type PetPage,
} from './list-pets.statement.js';
import { type NewPet, PET_COLUMNS, PetEntity } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';

const COLUMNS = columnsOf(PetEntity);
/** What an insert writes. */
const WRITTEN = [...PET_COLUMNS.map(({ name }) => name), 'changed_by'];
const WRITTEN_PROPERTIES = [
  ...PET_COLUMNS.map(({ property }) => property),
  'changedBy',
] as (keyof InsertedPet)[];

/** An animal to insert. */
type InsertedPet = NewPet & Pick<PetEntity, 'changedBy'>;

/** A larger statement saves little more, and its second half could run on another connection. */
const ROWS_PER_STATEMENT = 16;

const FIND: Statement = {
  name: 'find-pet',
  text: `select ${COLUMNS} from pets where id = $1`,
};

const SHOW: Statement = {
  name: 'show-pet',
  text: `select ${JSON_OF_PET} as json from pets where id = $1`,
};

/**
 * Adds `count` animals. PostgreSQL assigns the ids in the order of the rows. Not `insert ... select`, which takes Citus eight times
 * as long.
 */
const insertStatement = (count: number): Statement => ({
  name: count === 1 ? 'insert-pet' : `insert-${count}-pets`,
  text: `insert into pets (${WRITTEN.join(', ')}) values ${rowsOf(count)} returning ${COLUMNS}`,
});

/** The placeholders of `count` rows: ($1, $2, $3), ($4, $5, $6). */
const rowsOf = (count: number): string => {
  const row = (first: number) => WRITTEN_PROPERTIES.map((_, column) => `$${first + column}`).join(', ');
  return Array.from({ length: count }, (_, index) => `(${row(index * WRITTEN_PROPERTIES.length + 1)})`).join(
    ', ',
  );
};

const COUNT: Statement = {
  name: 'count-pets',
  text: `select sum(available)::bigint as available, sum(pending)::bigint as pending, sum(sold)::bigint as sold
    from pet_counts`,
};

/** The number of animals of every status. */
type PetCounts = Record<PetStatus, bigint>;

/** The statements about animals. */
@Injectable()
export class PetsRepository {
  /** Simultaneous inserts share a statement and a commit (docs/performance.md). */
  private readonly inserts = batches(ROWS_PER_STATEMENT, (pets: readonly InsertedPet[]) =>
    this.insertMany(pets),
  );

  constructor(
    private readonly database: Database,
    @InjectRepository(PetEntity) private readonly pets: Repository<PetEntity>,
  ) {}

  async insert(pet: InsertedPet): Promise<PetEntity> {
    if (!this.database.isInTransaction) return this.inserts.load(pet);
    return single(await this.insertMany([pet]));
  }

  async find(id: bigint): Promise<PetEntity | null> {
    return (await this.database.query<PetEntity>(FIND, [id]))[0] ?? null;
  }

  /** The animal as JSON with the members of PetDto. */
  async show(id: bigint): Promise<string | undefined> {
    return (await this.database.query<{ json: string }>(SHOW, [id]))[0]?.json;
  }

  /** Locks the row until the transaction ends. */
  lock(id: bigint): Promise<PetEntity | null> {
    return this.pets.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Resolves with the rows in the order of `pets`: their ids ascend, with gaps where other requests insert. */
  async insertMany(pets: readonly InsertedPet[]): Promise<PetEntity[]> {
    const values = pets.flatMap(valuesOf);
    const rows = await this.database.query<PetEntity>(insertStatement(pets.length), values);
    // Distributed tables return them by shard.
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async update(id: bigint, changes: Partial<NewPet>, changedBy: string): Promise<void> {
    await this.pets.update({ id }, { ...changes, changedBy });
  }

  /** The row keeps who deletes it until it is gone, for its event. */
  async delete(id: bigint, changedBy: string): Promise<void> {
    await this.pets.update({ id }, { changedBy });
    await this.pets.delete({ id });
  }

  /** Resolves with false when the animal does not exist or is not available: of many simultaneous orders, one gets the animal. */
  reserve(id: bigint, orderId: bigint, changedBy: string): Promise<boolean> {
    const free = { id, status: 'available', openOrderId: IsNull() } as const;
    return this.change(free, { status: 'pending', openOrderId: orderId, changedBy });
  }

  /** Resolves with false when the order does not reserve the animal. */
  release(id: bigint, orderId: bigint, status: PetStatus, changedBy: string): Promise<boolean> {
    return this.change({ id, openOrderId: orderId }, { status, openOrderId: null, changedBy });
  }

  /** Makes available the animals that these orders reserve; resolves with their number. */
  async releaseAll(orders: readonly { id: bigint; petId: bigint }[], changedBy: string): Promise<number> {
    if (orders.length === 0) return 0;
    const { affected } = await this.pets.update(
      { id: Any(orders.map(({ petId }) => petId)), openOrderId: Any(orders.map(({ id }) => id)) },
      { status: 'available', openOrderId: null, changedBy },
    );
    return affected ?? 0;
  }

  /** Exact, in constant time (PetCountsEntity). */
  async count(): Promise<PetCounts> {
    return single(await this.database.query<PetCounts>(COUNT, []));
  }

  /** At most `limit` animals that follow `afterId`. A keyset read: every page costs what the first one costs. */
  async list(filter: PetFilter, limit: number, afterId: bigint | undefined): Promise<PetPage> {
    const { statement, values } = listStatement(filter, limit, afterId);
    return pageOf(single(await this.database.query<ListedPets>(statement, values)), limit);
  }

  /** Resolves with whether a row is `where`, which PostgreSQL checks again after a wait for the row. */
  private async change(where: FindOptionsWhere<PetEntity>, changes: Partial<PetEntity>): Promise<boolean> {
    const { affected } = await this.pets.update(where, changes);
    return affected === 1;
  }
}

function valuesOf(pet: InsertedPet): unknown[] {
  return WRITTEN_PROPERTIES.map((property) => pet[property]);
}

function single<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that returns one row returned none');
  return row;
}
