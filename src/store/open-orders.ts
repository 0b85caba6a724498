import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Plan } from '../auth/plans.js';
import { Database, type Statement } from '../platform/database/database.js';
import { OPEN_STATUSES } from './order-status.js';

/** The most open orders of a key with `order` access. Source: the service interface, "Orders have a bound". */
export const MAX_OPEN_ORDERS: Readonly<Record<Plan, number>> = {
  free: 10,
  pro: 100,
  business: 1_000,
  enterprise: 10_000,
};

// The transaction holds the lock until it ends. Keys with the same 64 bits wait for each other.
const LOCK: Statement = {
  name: 'lock-open-orders',
  text: 'select pg_advisory_xact_lock($1::bigint)',
};

const COUNT: Statement = {
  name: 'count-open-orders-of-key',
  text: `select count(*) as count from orders
    where key_id = $1 and status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`,
};

/** The orders of a key that hold an animal. */
@Injectable()
export class OpenOrders {
  constructor(private readonly database: Database) {}

  /** Lets one transaction at a time count the open orders of a key, until it ends. */
  async lock(keyId: string): Promise<void> {
    await this.database.query(LOCK, [hash('sha256', keyId, 'buffer').readBigInt64BE()]);
  }

  /** How many open orders the key has, those of the running transaction included. */
  async countOf(keyId: string): Promise<number> {
    const [row] = await this.database.query<{ count: bigint }>(COUNT, [keyId]);
    return Number(row?.count);
  }
}
