import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { ACCESS_LEVELS, type Access } from '../auth/access.js';
import type { CallerKey } from '../auth/caller-key.js';
import { PetsService } from '../pets/pets.service.js';
import { CONFIG } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { MAX_OPEN_ORDERS, OpenOrders } from './open-orders.js';
import type { OrderEntity } from './order.entity.js';
import { ORDER_STATUSES, type OrderAction, type OrderStatus } from './order-status.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

const ANY = () => undefined;
const callerOf = (access: Access, id = 'partner') => ({ id, access, plan: 'free' }) as CallerKey;
const partner = callerOf('order');
const store = callerOf('manage', 'store');

/** Orders in memory. What it calls is noted in `calls`. */
class FakeOrders {
  readonly rows = new Map<bigint, OrderEntity>();
  open = 1;
  calls: unknown[] = [];

  add(id: bigint, status: OrderStatus, keyId = partner.id): void {
    this.rows.set(id, { id, status, keyId, petId: 42n } as OrderEntity);
  }

  insert = (order: object) => {
    this.calls.push(['insert', order]);
    return Promise.resolve({ id: 1n, ...order });
  };
  find = (id: bigint, keyId?: string) => {
    const order = this.rows.get(id);
    return Promise.resolve(order && (keyId === undefined || order.keyId === keyId) ? order : null);
  };
  lock = (keyId: string, id: bigint) => this.find(id, keyId);
  setStatus = (_keyId: string, id: bigint, status: OrderStatus) => {
    this.rows.set(id, Object.assign({}, this.rows.get(id)!, { status }));
    return Promise.resolve(this.rows.get(id)!);
  };
  list = (...asked: unknown[]) => {
    this.calls.push(asked[0]);
    return Promise.resolve([]);
  };
}

describe('OrdersService', () => {
  let orders: FakeOrders;
  let released: unknown[];
  let reserved: unknown[];
  let service: OrdersService;

  beforeEach(async () => {
    orders = new FakeOrders();
    [released, reserved] = [[], []];
    const pets = {
      reserve: (...call: unknown[]) => Promise.resolve(void reserved.push(call)),
      release: (...call: unknown[]) => Promise.resolve(void released.push(call)),
    };
    const module = await Test.createTestingModule({
      providers: [
        OrdersService,
        { provide: OrdersRepository, useValue: orders },
        {
          provide: OpenOrders,
          useValue: { lock: () => Promise.resolve(), countOf: () => Promise.resolve(orders.open) },
        },
        { provide: PetsService, useValue: pets },
        { provide: Database, useValue: { transaction: (work: () => Promise<unknown>) => work() } },
        { provide: CONFIG, useValue: { orderHoldMinutes: 60 } },
        { provide: Metrics, useValue: null },
      ],
    }).compile();
    service = module.get(OrdersService);
  });

  it('places an order for the caller, reserves the animal, and holds it as long as configured', async () => {
    const order = await service.place(partner, { petId: 42n, reference: 'PO-7' });
    expect(order).toMatchObject({ keyId: 'partner', petId: 42n, reference: 'PO-7', holdMinutes: 60 });
    expect(reserved).toEqual([[42n, 1n, 'partner']]);
    expect(await service.place(partner, { petId: 42n })).toMatchObject({ reference: null });
  });

  it.each(Object.entries(MAX_OPEN_ORDERS))(
    'bounds the open orders of a key with the plan %s',
    async (plan, bound) => {
      const caller = { ...partner, plan } as CallerKey;
      orders.open = bound;
      await service.place(caller, { petId: 42n });
      orders.open = bound + 1;
      const refused = service.place(caller, { petId: 42n });
      await expect(refused).rejects.toMatchObject({ code: 'too_many_open_orders' });
      await expect(refused).rejects.toThrow(` ${bound} `);
      // The store has no bound.
      await service.place({ ...store, plan } as CallerKey, { petId: 42n });
    },
  );

  const ALLOWED: Record<OrderAction, Partial<Record<OrderStatus, OrderStatus>>> = {
    approve: { placed: 'approved' },
    deliver: { approved: 'delivered' },
    cancel: { placed: 'cancelled', approved: 'cancelled' },
  };
  const RELEASES: Partial<Record<OrderStatus, string>> = { delivered: 'sold', cancelled: 'available' };
  const cases = (Object.keys(ALLOWED) as OrderAction[]).flatMap((action) =>
    ORDER_STATUSES.map((from) => ({ action, from, to: ALLOWED[action][from] })),
  );

  it.each(cases)('$action of an order that is $from: $to', async ({ action, from, to }) => {
    orders.add(1n, from);
    const changed = service.transition(store, 1n, action, ANY);
    if (to === undefined) {
      await expect(changed).rejects.toMatchObject({ code: 'invalid_status_transition' });
      expect([orders.rows.get(1n)?.status, released]).toEqual([from, []]);
      return;
    }
    expect(await changed).toMatchObject({ status: to });
    const petStatus = RELEASES[to];
    expect(released).toEqual(petStatus === undefined ? [] : [[42n, 1n, petStatus, 'store']]);
  });

  it.each(ACCESS_LEVELS)(
    'shows with %s access the own orders, and all of them to the store',
    async (access) => {
      orders.add(1n, 'placed', 'somebody else');
      const caller = callerOf(access);
      const isStore = access === 'manage' || access === 'admin';
      const found = service.get(caller, 1n);
      const cancelled = service.transition(caller, 1n, 'cancel', ANY);
      if (isStore) {
        expect(await found).toMatchObject({ keyId: 'somebody else' });
        expect(await cancelled).toMatchObject({ status: 'cancelled' });
      } else {
        await expect(found).rejects.toMatchObject({ code: 'order_not_found' });
        await expect(cancelled).rejects.toMatchObject({ code: 'order_not_found' });
      }
      await service.list(caller, { reference: 'PO-7' }, 20, undefined);
      expect(orders.calls.at(-1)).toEqual({ keyId: isStore ? undefined : 'partner', reference: 'PO-7' });
      for (const filter of [{ keyId: 'x' }, { petId: 1n }]) {
        const listed = service.list(caller, filter, 20, undefined);
        if (isStore) await listed;
        else await expect(listed).rejects.toMatchObject({ code: 'invalid_parameter' });
      }
    },
  );

  it('changes nothing where the check of the caller refuses', async () => {
    orders.add(1n, 'placed');
    const refuse = () => {
      throw new Error('another state');
    };
    await expect(service.transition(store, 1n, 'approve', refuse)).rejects.toThrow('another state');
    expect(orders.rows.get(1n)?.status).toBe('placed');
  });
});
