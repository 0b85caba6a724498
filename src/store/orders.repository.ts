import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import type { OrderFilter } from './order.js';
import type { OrderStatus } from './order-states.js';

export interface OrderRow {
  id: bigint;
  pet_id: bigint;
  status: OrderStatus;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, pet_id, status, created_at, updated_at';

const INSERT: Statement = {
  name: 'insert-order',
  text: `insert into orders (pet_id, key_id, status) values ($1, $2, 'placed') returning ${COLUMNS}`,
};

const FIND: Statement = {
  name: 'find-order',
  text: `select ${COLUMNS} from orders where id = $1 and key_id = $2`,
};

const LOCK: Statement = { name: 'lock-order', text: `${FIND.text} for update` };

const SET_STATUS: Statement = {
  name: 'set-order-status',
  text: `update orders set status = $2, updated_at = now() where id = $1 returning ${COLUMNS}`,
};

/** Every question names the key: nobody reads, by any way, what another key has placed. */
@Injectable()
export class OrdersRepository {
  constructor(private readonly database: Database) {}

  async insert(keyId: string, petId: bigint): Promise<OrderRow> {
    return oneOf(await this.database.query<OrderRow>(INSERT, [petId, keyId]));
  }

  async find(keyId: string, id: bigint): Promise<OrderRow | undefined> {
    const [row] = await this.database.query<OrderRow>(FIND, [id, keyId]);
    return row;
  }

  /** Holds the row until the transaction ends. */
  async lock(keyId: string, id: bigint): Promise<OrderRow | undefined> {
    const [row] = await this.database.query<OrderRow>(LOCK, [id, keyId]);
    return row;
  }

  async setStatus(id: bigint, status: OrderStatus): Promise<OrderRow> {
    return oneOf(await this.database.query<OrderRow>(SET_STATUS, [id, status]));
  }

  /**
   * Ascending ids, those after `afterId` only; at most `count` rows. A keyset read, in the spelling of the id that only the
   * index for these filters has (docs/decisions/0044).
   */
  list(
    keyId: string,
    { status }: OrderFilter,
    afterId: bigint | undefined,
    count: number,
  ): Promise<OrderRow[]> {
    const values: unknown[] = [keyId, count];
    const conditions = ['key_id = $1'];
    const names = ['list-orders'];
    const key = status === undefined ? '(id + 0)' : '(0 + id)';
    if (status !== undefined) {
      values.push(status);
      conditions.push(`status = $${String(values.length)}`);
      names.push('status');
    }
    if (afterId !== undefined) {
      values.push(afterId);
      conditions.push(`${key} > $${String(values.length)}`);
      names.push('after');
    }
    const text = `select ${COLUMNS} from orders where ${conditions.join(' and ')} order by ${key} limit $2`;
    return this.database.query<OrderRow>({ name: names.join('-'), text }, values);
  }
}

function oneOf(rows: OrderRow[]): OrderRow {
  const [row] = rows;
  if (!row) throw new Error('a statement on orders gave no row back');
  return row;
}
