import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { invalidStatusTransition } from '../platform/common/errors/common.errors.js';
import { decodeCursor, type Page, pageFrom, scopeOfOrder } from '../platform/common/paging.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { PLAN_NAMES } from '../auth/plans.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { PetsService } from '../pets/pets.service.js';
import type { CallerKey } from '../auth/caller-key.js';
import { isAccessEnough } from '../auth/access.js';
import type { OrderEntity } from './order.entity.js';
import { transitionOf, type OrderAction } from './order-status.js';
import type { NewOrderDto } from './dto/store.dto.js';
import { MAX_OPEN_ORDERS, OpenOrders } from './open-orders.js';
import { filterOfPartner, orderNotFound, tooManyOpenOrders } from './orders.errors.js';
import { OrdersRepository, type OrderFilter } from './orders.repository.js';

/** The only key whose orders the caller sees; undefined for the store, which sees all. */
const ownerOf = ({ id, access }: CallerKey) => (isAccessEnough(access, 'manage') ? undefined : id);

/** The orders of the API keys: the store sees all, a partner its own. An order and its animal change in one transaction. */
@Injectable()
export class OrdersService {
  private readonly beyondBound: Counter<'plan'> | undefined;

  constructor(
    private readonly repository: OrdersRepository,
    private readonly openOrders: OpenOrders,
    private readonly pets: PetsService,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.beyondBound = metrics?.counter(
      'orders_beyond_bound_total',
      'Orders that were refused because the key had as many open ones as its plan allows.',
      ['plan'],
    );
    // Every series starts at zero, because Prometheus sees no increase from an absent series.
    for (const plan of PLAN_NAMES) this.beyondBound?.inc({ plan }, 0);
  }

  /**
   * Resolves with one page.
   *
   * @throws ApiError `invalid_parameter` for `keyId` and `petId` where the caller sees its own orders only, `invalid_cursor` for a
   *   cursor of another operation or other filters.
   */
  async list(
    caller: CallerKey,
    filter: OrderFilter,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<OrderEntity>> {
    const owner = ownerOf(caller);
    const { keyId, petId, reference, status, order } = filter;
    if (owner !== undefined && keyId !== undefined) throw filterOfPartner('keyId');
    if (owner !== undefined && petId !== undefined) throw filterOfPartner('petId');
    const scope = `listOrders ${JSON.stringify([keyId, petId?.toString(), reference, status])}${scopeOfOrder(order)}`;
    const afterId = decodeCursor(scope, cursor);
    const found = await this.repository.list({ keyId: owner, ...filter }, limit + 1, afterId);
    return pageFrom(found, limit, scope, ({ id }) => id);
  }

  /**
   * Reserves an animal: of many simultaneous orders for it, exactly one succeeds.
   *
   * @throws ApiError `pet_not_found`, `pet_not_available`, `too_many_open_orders`
   */
  place(caller: CallerKey, { petId, reference = null }: NewOrderDto): Promise<OrderEntity> {
    return this.database.transaction(async () => {
      const { orderHoldMinutes: holdMinutes } = this.config;
      const order = await this.repository.insert({ keyId: caller.id, petId, reference, holdMinutes });
      // The row of the animal decides; the orders that lose are rolled back.
      await this.pets.reserve(petId, order.id, caller.id);
      await this.refuseBeyondBound(caller);
      return order;
    });
  }

  /**
   * Refuses the order that the running transaction has placed, where the key now has more open orders than its plan allows. The lock
   * comes last and lasts until the commit, so one order of the key at a time is counted, with all that were committed before.
   */
  private async refuseBeyondBound({ id, plan, access }: CallerKey): Promise<void> {
    if (isAccessEnough(access, 'manage')) return;
    await this.openOrders.lock(id);
    const bound = MAX_OPEN_ORDERS[plan];
    if ((await this.openOrders.countOf(id)) <= bound) return;
    this.beyondBound?.inc({ plan });
    throw tooManyOpenOrders(plan, bound);
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
