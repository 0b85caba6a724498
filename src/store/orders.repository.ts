import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DEFAULT_SORT_ORDER, type SortOrder } from '../platform/common/paging.js';
import { columnsOf } from '../platform/database/columns-of.js';
import { Database, type Statement } from '../platform/database/database.js';
import { SERVICE } from '../auth/actor.js';
import { boundsAfter, keysetOf } from '../platform/database/keyset.js';
import { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-status.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface OrderFilter {
  keyId?: string | undefined;
  petId?: bigint | undefined;
  reference?: string | undefined;
  status?: OrderStatus | undefined;
  /** By id; ascending by default. */
  order?: SortOrder | undefined;
}

/** An order to place. `holdMinutes`: how long it holds its animal; 0: for ever. */
export interface NewOrder extends Pick<OrderEntity, 'keyId' | 'petId' | 'reference'> {
  holdMinutes: number;
}

const COLUMNS = columnsOf(OrderEntity);

// Single reads share connections, so they are answered while writers that wait hold the whole pool.
const FIND: Statement = {
  name: 'find-order',
  text: `select ${COLUMNS} from orders where id = $1`,
};
/** Distributed orders are found by key. */
const FIND_OF_KEY: Statement = {
  name: 'find-order-of-key',
  text: `select ${COLUMNS} from orders where key_id = $2 and id = $1`,
};

/** The filters and their columns, in the order of their values. */
const FILTERS = [
  { property: 'keyId', column: 'key_id' },
  { property: 'petId', column: 'pet_id' },
  { property: 'reference', column: 'reference' },
  { property: 'status', column: 'status' },
] as const;
type FilterColumn = (typeof FILTERS)[number]['column'];

/** By name: one for each combination of filters and order. */
const lists = new Map<string, Statement>();

function listStatement(given: FilterColumn[], order: SortOrder): Statement {
  const name = ['list-orders', ...given, ...(order === 'desc' ? [order] : [])].join('-');
  const statement = lists.get(name) ?? { name, text: textOf(given, order) };
  lists.set(name, statement);
  return statement;
}

function textOf(given: FilterColumn[], order: SortOrder): string {
  const placeholder = (column: FilterColumn) => `$${given.indexOf(column) + 4}`;
  const ofIndex = given.filter(isOfIndex);
  const columns = Object.fromEntries(ofIndex.map((column) => [column, placeholder(column)]));
  const { where, orderBy } = keysetOf(columns, '$2', '$3', order);
  const conditions = given
    .filter((column) => column !== 'key_id' && !ofIndex.includes(column))
    // No index serves this comparison, so the planner cannot read all orders of a status instead.
    .map((column) => `${column} is not distinct from ${placeholder(column)}`);
  // A list instead of an equation leads Citus to the shard, and is no reason for the planner to leave the key out of the order.
  if (given.includes('key_id')) conditions.push(`key_id = any(array[${placeholder('key_id')}::uuid])`);
  // The indexes on references leave out the orders without one.
  if (ofIndex.includes('reference')) conditions.push('reference is not null');
  return `select ${COLUMNS} from orders where ${[where, ...conditions].join(' and ')} order by ${orderBy} limit $1`;
}

/** Whether the index of a list has the column. An animal and a reference have so few orders that their index needs no other filter. */
function isOfIndex(column: FilterColumn, _: number, given: FilterColumn[]): boolean {
  if (given.includes('pet_id')) return column === 'pet_id';
  return column !== 'status' || !given.includes('reference');
}

const INSERT: Statement = {
  name: 'insert-order',
  text: `insert into orders (key_id, pet_id, reference, status, expires_at, changed_by)
    values ($1::uuid, $2, $3, 'placed', now() + nullif($4::int, 0) * interval '1 minute', $1::uuid::text) returning ${COLUMNS}`,
};

const DUE: Statement = {
  name: 'due-orders',
  text: `select id from orders where status = 'placed' and expires_at <= now() order by expires_at limit $1`,
};

/** One replica at a time: others would only wait for the same rows. */
const LOCK_EXPIRY: Statement = {
  name: 'lock-expiry-of-orders',
  text: `select pg_try_advisory_xact_lock(hashtextextended('expiry of orders', 0)) as locked`,
};

/**
 * The time of a change whose row is locked: now() is the begin of the transaction, before the wait for the lock. Citus takes no volatile
 * function, such as clock_timestamp().
 */
const LATER = 'greatest(updated_at, statement_timestamp())';

/** Not `for update skip locked`, which distributed tables refuse. An order that was approved meanwhile is no longer placed. */
const EXPIRE: Statement = {
  name: 'expire-orders',
  text: `update orders set status = 'expired', expires_at = null, changed_by = '${SERVICE}', updated_at = ${LATER}
    where id = any($1::bigint[]) and status = 'placed' and expires_at <= now()
    returning id, pet_id as "petId"`,
};

@Injectable()
export class OrdersRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(OrderEntity) private readonly orders: Repository<OrderEntity>,
  ) {}

  /** Inserts a placed order. */
  async insert({ keyId, petId, reference, holdMinutes }: NewOrder): Promise<OrderEntity> {
    const values = [keyId, petId, reference, holdMinutes];
    const [order] = (await this.database.query<OrderEntity>(INSERT, values)) as [OrderEntity];
    return order;
  }

  /** The ids of at most `limit` orders that are due to expire, the longest due first. */
  async due(limit: number): Promise<bigint[]> {
    return (await this.database.query<{ id: bigint }>(DUE, [limit])).map(({ id }) => id);
  }

  /** Locks the expiry of orders for the rest of the transaction; false while another transaction holds it. */
  async lockExpiry(): Promise<boolean> {
    const [row] = await this.database.query<{ locked: boolean }>(LOCK_EXPIRY, []);
    return row?.locked ?? false;
  }

  /** Expires those of these orders that are still placed and due; resolves with them. */
  expire(ids: readonly bigint[]): Promise<Pick<OrderEntity, 'id' | 'petId'>[]> {
    return this.database.query<Pick<OrderEntity, 'id' | 'petId'>>(EXPIRE, [ids]);
  }

  /** `keyId`: only if the order is of this key. */
  async find(id: bigint, keyId?: string): Promise<OrderEntity | null> {
    const [order] = await (keyId === undefined
      ? this.database.query<OrderEntity>(FIND, [id])
      : this.database.query<OrderEntity>(FIND_OF_KEY, [id, keyId]));
    return order ?? null;
  }

  /** Locks the row until the transaction ends. Distributed orders are locked only by key. */
  lock(keyId: string, id: bigint): Promise<OrderEntity | null> {
    return this.orders.findOne({ where: { keyId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async setStatus(keyId: string, id: bigint, status: OrderStatus, changedBy: string): Promise<OrderEntity> {
    await this.orders.update({ keyId, id }, { status, expiresAt: null, changedBy, updatedAt: () => LATER });
    return this.orders.findOneByOrFail({ keyId, id });
  }

  /** At most `count` orders that follow `afterId`. */
  list(
    { order = DEFAULT_SORT_ORDER, ...filter }: OrderFilter,
    count: number,
    afterId?: bigint,
  ): Promise<OrderEntity[]> {
    const given = FILTERS.filter(({ property }) => filter[property] !== undefined);
    const statement = listStatement(
      given.map(({ column }) => column),
      order,
    );
    const values = given.map(({ property }) => filter[property]);
    return this.database.query<OrderEntity>(statement, [count, ...boundsAfter(afterId, order), ...values]);
  }
}
