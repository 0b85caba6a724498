import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { columnsOf } from '../platform/database/columns-of.js';
import { Database, type Statement } from '../platform/database/database.js';
import { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-states.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface OrderFilter {
  keyId?: string | undefined;
  status?: OrderStatus | undefined;
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

/** A keyset read that spells the id as only the index for these filters does (docs/decisions/0044). */
const listStatement = (name: string, id: string, filters: string): Statement => ({
  name,
  text: `select ${COLUMNS} from orders where ${id} > $2 ${filters} order by ${id} limit $1`,
});
const LIST = listStatement('list-orders', 'id', '');
const LIST_BY_STATUS = listStatement('list-orders-status', '(id - 0)', 'and status = $3');
const LIST_BY_KEY = listStatement('list-orders-key', '(id + 0)', 'and key_id = $3');
const LIST_BY_KEY_AND_STATUS = listStatement(
  'list-orders-key-status',
  '(0 + id)',
  'and key_id = $3 and status = $4',
);

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

  /** At most `count` orders with ids above `afterId`, ascending. */
  list({ keyId, status }: OrderFilter, count: number, afterId = 0n): Promise<OrderEntity[]> {
    const [all, byStatus] =
      keyId === undefined ? [LIST, LIST_BY_STATUS] : [LIST_BY_KEY, LIST_BY_KEY_AND_STATUS];
    const values = [keyId, status].filter((value) => value !== undefined);
    return this.database.query<OrderEntity>(status === undefined ? all : byStatus, [
      count,
      afterId,
      ...values,
    ]);
  }
}
