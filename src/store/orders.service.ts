import { Injectable } from '@nestjs/common';
import { invalidStatusTransition } from '../platform/common/errors/common.errors.js';
import { decodeCursor, type Page, pageFrom, scopeOfOrder } from '../platform/common/paging.js';
import { Database } from '../platform/database/database.js';
import { PetsService } from '../pets/pets.service.js';
import type { CallerKey } from '../auth/keys/api-key.js';
import { isAccessEnough } from '../auth/access.js';
import type { OrderEntity } from './order.entity.js';
import { transitionOf, type OrderAction } from './order-states.js';
import { keyIdOfPartner, orderNotFound } from './orders.errors.js';
import { OrdersRepository, type OrderFilter } from './orders.repository.js';

/** The only key whose orders the caller sees; undefined for the store, which sees all. */
const ownerOf = ({ id, access }: CallerKey) => (isAccessEnough(access, 'manage') ? undefined : id);

/** The orders of the API keys: the store sees all, a partner its own. An order and its animal change in one transaction. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly repository: OrdersRepository,
    private readonly pets: PetsService,
    private readonly database: Database,
  ) {}

  /**
   * Resolves with one page.
   *
   * @throws ApiError `invalid_parameter` for `keyId` where the caller sees its own orders only, `invalid_cursor` for a
   *   cursor of another operation or other filters.
   */
  async list(
    caller: CallerKey,
    filter: OrderFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<OrderEntity>> {
    const owner = ownerOf(caller);
    if (owner !== undefined && filter.keyId !== undefined) throw keyIdOfPartner();
    const scope = `listOrders keyId=${filter.keyId ?? ''} status=${filter.status ?? ''}${scopeOfOrder(filter.order)}`;
    const afterId = decodeCursor(scope, cursor);
    const found = await this.repository.list({ keyId: owner, ...filter }, limit + 1, afterId);
    return pageFrom(found, limit, scope, ({ id }) => id);
  }

  /**
   * Reserves an animal: of many simultaneous orders for it, exactly one succeeds.
   *
   * @throws ApiError `pet_not_found`, `pet_not_available`
   */
  place(keyId: string, petId: bigint): Promise<OrderEntity> {
    return this.database.transaction(async () => {
      const order = await this.repository.insert(keyId, petId);
      // The row of the animal decides; the orders that lose are rolled back.
      await this.pets.reserve(petId, order.id, keyId);
      return order;
    });
  }

  /** @throws ApiError `order_not_found` */
  async get(caller: CallerKey, id: bigint): Promise<OrderEntity> {
    const order = await this.repository.find(id, ownerOf(caller));
    if (!order) throw orderNotFound(id);
    return order;
  }

  /**
   * Approves, delivers or cancels. `check` sees the locked order before it changes, and throws to refuse the change.
   *
   * @throws ApiError `order_not_found`, `invalid_status_transition`
   */
  transition(
    caller: CallerKey,
    id: bigint,
    action: OrderAction,
    check: (order: OrderEntity) => void,
  ): Promise<OrderEntity> {
    return this.database.transaction(async () => {
      const keyId = ownerOf(caller) ?? (await this.get(caller, id)).keyId;
      const order = await this.repository.lock(keyId, id);
      if (!order) throw orderNotFound(id);
      check(order);
      const { isAllowed, to, petStatus } = transitionOf(action, order.status);
      if (!isAllowed) throw invalidStatusTransition('status', order.status, to);
      const changed = await this.repository.setStatus(keyId, id, to, caller.id);
      if (petStatus !== undefined) await this.pets.release(order.petId, id, petStatus, caller.id);
      return changed;
    });
  }
}
