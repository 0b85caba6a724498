import { Injectable } from '@nestjs/common';
import { columnsOf, Database, type Statement } from '../platform/database/database.js';
import { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-states.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface OrderFilter {
  keyId?: string | undefined;
  status?: OrderStatus | undefined;
}

const COLUMNS = columnsOf(OrderEntity);

const FIND: Statement = {
  name: 'find-order',
  text: `select ${COLUMNS} from orders where id = $1`,
  isRead: true,
};

// Distributed orders are found by key, and locked only by key.
const OF_KEY = `select ${COLUMNS} from orders where key_id = $1 and id = $2`;
const FIND_OF_KEY: Statement = { name: 'find-order-of-key', text: OF_KEY, isRead: true };
const LOCK: Statement = { name: 'lock-order', text: `${OF_KEY} for update` };

const SET_STATUS: Statement = {
  name: 'set-order-status',
  text: `update orders set status = $3, updated_at = now() where key_id = $1 and id = $2 returning ${COLUMNS}`,
};

// Keyset reads that spell the id as only the index for these filters does (docs/decisions/0044).
const LIST: Statement = {
  name: 'list-orders',
  text: `select ${COLUMNS} from orders where id > $2 order by id limit $1`,
  isRead: true,
};

const LIST_BY_STATUS: Statement = {
  name: 'list-orders-status',
  text: `select ${COLUMNS} from orders where (id - 0) > $2 and status = $3 order by (id - 0) limit $1`,
  isRead: true,
};

const LIST_BY_KEY: Statement = {
  name: 'list-orders-key',
  text: `select ${COLUMNS} from orders where (id + 0) > $2 and key_id = $3 order by (id + 0) limit $1`,
  isRead: true,
};

const LIST_BY_KEY_AND_STATUS: Statement = {
  name: 'list-orders-key-status',
  text: `select ${COLUMNS} from orders where (0 + id) > $2 and key_id = $3 and status = $4 order by (0 + id) limit $1`,
  isRead: true,
};

@Injectable()
export class OrdersRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a placed order. */
  insert(keyId: string, petId: bigint): Promise<OrderEntity> {
    return this.database.run('insert-order', async (manager) => {
      const order = manager.create(OrderEntity, { keyId, petId, status: 'placed' });
      await manager.insert(OrderEntity, order);
      return order;
    });
  }

  /** `keyId`: only if the order is of this key. */
  async find(id: bigint, keyId?: string): Promise<OrderEntity | undefined> {
    const found =
      keyId === undefined
        ? this.database.query<OrderEntity>(FIND, [id])
        : this.database.query<OrderEntity>(FIND_OF_KEY, [keyId, id]);
    return (await found)[0];
  }

  /** Locks the row until the transaction ends. */
  async lock(keyId: string, id: bigint): Promise<OrderEntity | undefined> {
    const [order] = await this.database.query<OrderEntity>(LOCK, [keyId, id]);
    return order;
  }

  async setStatus(keyId: string, id: bigint, status: OrderStatus): Promise<OrderEntity> {
    const [order] = await this.database.query<OrderEntity>(SET_STATUS, [keyId, id, status]);
    if (!order) throw new Error('an update of a locked order returned no row');
    return order;
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
