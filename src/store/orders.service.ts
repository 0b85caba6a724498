import { Injectable } from '@nestjs/common';
import { invalidStatusTransition } from '../common/errors/common.errors.js';
import { afterIdOf, encodeCursor } from '../common/paging/cursor.js';
import { Database } from '../database/database.js';
import { PetsService } from '../pets/pets.service.js';
import type { Order, OrderFilter } from './order.js';
import { toOrder } from './order.mapper.js';
import { stepOf, type OrderAction } from './order-states.js';
import { orderNotFound } from './orders.errors.js';
import { OrdersRepository } from './orders.repository.js';

/** One page of orders, and where the next one starts; no cursor on the last page. */
export interface OrderPage {
  orders: Order[];
  nextCursor: string | undefined;
}

/** The orders of one key at a time: everybody else's do not exist. An order and its animal change in one transaction. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly repository: OrdersRepository,
    private readonly pets: PetsService,
    private readonly database: Database,
  ) {}

  /** Raises invalid_cursor for a cursor of another operation or other filters. */
  async list(
    keyId: string,
    filter: OrderFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<OrderPage> {
    const scope = `listOrders status=${filter.status ?? ''}`;
    const afterId = afterIdOf(scope, cursor);
    // One row more than shown tells whether another page follows.
    const rows = await this.repository.list(keyId, filter, afterId, limit + 1);
    const orders = rows.slice(0, limit).map(toOrder);
    const last = orders.at(-1);
    return { orders, nextCursor: rows.length > limit && last ? encodeCursor(scope, last.id) : undefined };
  }

  /** Of any number at once for one animal exactly one succeeds. Raises pet_not_found and pet_not_available. */
  place(keyId: string, petId: bigint): Promise<Order> {
    return this.database.transaction(async () => {
      const order = await this.repository.insert(keyId, petId);
      // The animal's row decides who wins: whoever loses takes this order back with the transaction.
      await this.pets.reserve(petId, order.id);
      return toOrder(order);
    });
  }

  /** Raises order_not_found. */
  async get(keyId: string, id: bigint): Promise<Order> {
    const row = await this.repository.find(keyId, id);
    if (!row) throw orderNotFound(id);
    return toOrder(row);
  }

  /** Raises order_not_found and invalid_status_transition. */
  act(keyId: string, id: bigint, action: OrderAction): Promise<Order> {
    return this.database.transaction(async () => {
      const row = await this.repository.lock(keyId, id);
      if (!row) throw orderNotFound(id);
      const { isAllowed, to, petBecomes } = stepOf(action, row.status);
      if (!isAllowed) throw invalidStatusTransition('status', row.status, to);
      const changed = await this.repository.setStatus(id, to);
      if (petBecomes !== undefined) await this.pets.release(row.pet_id, id, petBecomes);
      return toOrder(changed);
    });
  }
}
