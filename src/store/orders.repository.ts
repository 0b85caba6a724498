import { Injectable } from '@nestjs/common';
import { columnsOf, Database, type Statement } from '../database/database.js';
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

const SET_STATUS: Statement = {
  name: 'set-order-status',
  text: `update orders set status = $3, updated_at = now() where key_id = $1 and id = $2 returning ${COLUMNS}`,
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

  async find(keyId: string, id: bigint): Promise<OrderEntity | undefined> {
    const [order] = await this.database.query<OrderEntity>(FIND, [keyId, id]);
    return order;
  }

  /** Locks the row until the transaction ends. */
  lock(keyId: string, id: bigint): Promise<OrderEntity | null> {
    return this.database.run('lock-order', (manager) =>
      manager.findOne(OrderEntity, { where: { id, keyId }, lock: { mode: 'pessimistic_write' } }),
    );
  }

  async setStatus(keyId: string, id: bigint, status: OrderStatus): Promise<OrderEntity> {
    const [order] = await this.database.query<OrderEntity>(SET_STATUS, [keyId, id, status]);
    if (!order) throw new Error('an update of a locked order returned no row');
    return order;
  }

  /**
   * At most `count` orders with ids above `afterId`, ascending. A keyset read that spells the id as only the index for these
   * filters does (docs/decisions/0044).
   */
  list(
    keyId: string,
    { status }: OrderFilter,
    count: number,
    afterId: bigint | undefined,
  ): Promise<OrderEntity[]> {
    const values: unknown[] = [keyId, count];
    const conditions = ['key_id = $1'];
    const names = ['list-orders'];
    const key = status === undefined ? '(id + 0)' : '(0 + id)';
    if (status !== undefined) {
      values.push(status);
      conditions.push(`status = $${values.length}`);
      names.push('status');
    }
    if (afterId !== undefined) {
      values.push(afterId);
      conditions.push(`${key} > $${values.length}`);
      names.push('after');
    }
    const text = `select ${COLUMNS} from orders where ${conditions.join(' and ')} order by ${key} limit $2`;
    return this.database.query<OrderEntity>({ name: names.join('-'), text, isRead: true }, values);
  }
}
