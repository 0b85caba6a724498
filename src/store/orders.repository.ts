import { Injectable } from '@nestjs/common';
import { columnsOf, Database, type Statement } from '../platform/database/database.js';
import { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-states.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface OrderFilter {
  status?: OrderStatus | undefined;
}

const COLUMNS = columnsOf(OrderEntity);

const FIND: Statement = {
  name: 'find-order',
  text: `select ${COLUMNS} from orders where key_id = $1 and id = $2`,
  isRead: true,
};

const LOCK: Statement = { name: 'lock-order', text: `${FIND.text} for update` };

const SET_STATUS: Statement = {
  name: 'set-order-status',
  text: `update orders set status = $3, updated_at = now() where key_id = $1 and id = $2 returning ${COLUMNS}`,
};

// Keyset reads that spell the id as only the index for these filters does (docs/decisions/0044).
const LIST: Statement = {
  name: 'list-orders',
  text: `select ${COLUMNS} from orders where key_id = $1 and (id + 0) > $3 order by (id + 0) limit $2`,
  isRead: true,
};

const LIST_BY_STATUS: Statement = {
  name: 'list-orders-status',
  text: `select ${COLUMNS} from orders where key_id = $1 and (0 + id) > $3 and status = $4 order by (0 + id) limit $2`,
  isRead: true,
};

/** Every statement names the API key: no key reads an order of another key, and distributed orders are found by key. */
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

  /** `lock`: locks the row until the transaction ends. */
  async find(keyId: string, id: bigint, { lock }: { lock: boolean }): Promise<OrderEntity | undefined> {
    const [order] = await this.database.query<OrderEntity>(lock ? LOCK : FIND, [keyId, id]);
    return order;
  }

  async setStatus(keyId: string, id: bigint, status: OrderStatus): Promise<OrderEntity> {
    const [order] = await this.database.query<OrderEntity>(SET_STATUS, [keyId, id, status]);
    if (!order) throw new Error('an update of a locked order returned no row');
    return order;
  }

  /** At most `count` orders with ids above `afterId`, ascending. */
  list(keyId: string, { status }: OrderFilter, count: number, afterId = 0n): Promise<OrderEntity[]> {
    return status === undefined
      ? this.database.query<OrderEntity>(LIST, [keyId, count, afterId])
      : this.database.query<OrderEntity>(LIST_BY_STATUS, [keyId, count, afterId, status]);
  }
}
