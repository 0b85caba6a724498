import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DEFAULT_SORT_ORDER, type SortOrder } from '../platform/common/paging.js';
import { columnsOf } from '../platform/database/columns-of.js';
import { Database, type Statement } from '../platform/database/database.js';
import { boundsAfter, keysetOf } from '../platform/database/keyset.js';
import { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-states.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface OrderFilter {
  keyId?: string | undefined;
  status?: OrderStatus | undefined;
  /** By id; ascending by default. */
  order?: SortOrder | undefined;
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

/** By name: one for each combination of filters and order. */
const lists = new Map<string, Statement>();

function listStatement(byKey: boolean, byStatus: boolean, order: SortOrder): Statement {
  const given = [...(byKey ? ['key_id'] : []), ...(byStatus ? ['status'] : [])];
  const columns = Object.fromEntries(given.map((column, index) => [column, `$${index + 4}`]));
  const { where, orderBy } = keysetOf(columns, '$2', '$3', order);
  // A list instead of an equation leads Citus to the shard, and is no reason for the planner to leave the key out of the order.
  const shard = byKey ? 'key_id = any(array[$4::uuid]) and ' : '';
  const name = ['list-orders', ...given, ...(order === 'desc' ? [order] : [])].join('-');
  const statement = lists.get(name) ?? {
    name,
    text: `select ${COLUMNS} from orders where ${shard}${where} order by ${orderBy} limit $1`,
  };
  lists.set(name, statement);
  return statement;
}

/**
 * The time of a change whose row is locked: now() is the begin of the transaction, before the wait for the lock. Citus takes no volatile
 * function, such as clock_timestamp().
 */
const LATER = 'greatest(updated_at, statement_timestamp())';

@Injectable()
export class OrdersRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(OrderEntity) private readonly orders: Repository<OrderEntity>,
  ) {}

  /** Inserts a placed order. */
  async insert(keyId: string, petId: bigint): Promise<OrderEntity> {
    const order = this.orders.create({ keyId, petId, status: 'placed', changedBy: keyId });
    await this.orders.insert(order);
    return order;
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
    await this.orders.update({ keyId, id }, { status, changedBy, updatedAt: () => LATER });
    return this.orders.findOneByOrFail({ keyId, id });
  }

  /** At most `count` orders that follow `afterId`. */
  list(
    { keyId, status, order = DEFAULT_SORT_ORDER }: OrderFilter,
    count: number,
    afterId: bigint | undefined,
  ): Promise<OrderEntity[]> {
    const statement = listStatement(keyId !== undefined, status !== undefined, order);
    const values = [keyId, status].filter((value) => value !== undefined);
    return this.database.query<OrderEntity>(statement, [count, ...boundsAfter(afterId, order), ...values]);
  }
}
