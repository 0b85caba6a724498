import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Answer } from '../support/http/client.js';
import { databaseKinds } from '../support/databases.js';
import { expectError, type Code } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { Store, orderOf, ordersOf } from '../support/store.js';

const HISTORIES = 40;
const STATUSES = ['available', 'pending', 'sold'] as const;
const OPEN = ['placed', 'approved'];

interface ModelPet {
  status: string;
  name: string;
  orderId: bigint | undefined;
}
interface ModelOrder {
  petId: bigint;
  owner: number;
  status: string;
}

type Step =
  | { what: 'create'; status: string }
  | { what: 'update'; pet: number; name: string | undefined; status: string | undefined }
  | { what: 'remove'; pet: number }
  | { what: 'order'; as: number; pet: number }
  | { what: 'act'; asOwner: boolean; as: number; order: number; action: string }
  | { what: 'look'; as: number; order: number };

const index = fc.nat({ max: 5 });
const caller = fc.nat({ max: 1 });
const status = fc.constantFrom(...STATUSES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constant('create' as const), status }) },
  fc.record({
    what: fc.constant('update' as const),
    pet: index,
    name: fc.option(fc.constantFrom('Rex', 'Max'), { nil: undefined }),
    status: fc.option(status, { nil: undefined }),
  }),
  fc.record({ what: fc.constant('remove' as const), pet: index }),
  { weight: 3, arbitrary: fc.record({ what: fc.constant('order' as const), as: caller, pet: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('act' as const),
      // Mostly the owner, because otherwise hardly any order would be approved.
      asOwner: fc.constantFrom(true, true, true, false),
      as: caller,
      order: fc.nat({ max: 2 }),
      action: fc.constantFrom('approve', 'deliver', 'cancel'),
    }),
  },
  fc.record({ what: fc.constant('look' as const), as: caller, order: index }),
);

/** The store in a few lines: every response is compared to it. */
class Model {
  readonly pets = new Map<bigint, ModelPet>();
  readonly orders = new Map<bigint, ModelOrder>();
  /** Every animal ever created, including the deleted ones. */
  readonly petIds: bigint[] = [];

  constructor(private readonly stores: Store[]) {}

  async take(step: Step): Promise<void> {
    const [any] = this.stores as [Store];
    if (step.what === 'create') {
      const { id } = await any.create('Rex', 1, step.status);
      expect(this.petIds).not.toContain(id);
      this.petIds.push(id);
      this.pets.set(id, { status: step.status, name: 'Rex', orderId: undefined });
    } else if (step.what === 'update') await this.update(step, any);
    else if (step.what === 'remove') {
      const id = pick(this.petIds, step.pet);
      const pet = this.pets.get(id);
      const refusal = !pet ? 'pet_not_found' : pet.orderId === undefined ? undefined : 'pet_has_open_order';
      if (judged(await any.remove(id), 204, refusal)) this.pets.delete(id);
    } else if (step.what === 'order') await this.order(step.as, pick(this.petIds, step.pet));
    else if (step.what === 'act') {
      const id = pick([...this.orders.keys()], step.order);
      const owner = step.asOwner ? this.orders.get(id)?.owner : undefined;
      await this.act(owner ?? step.as, id, step.action);
    } else {
      const id = pick([...this.orders.keys()], step.order);
      const order = this.orders.get(id);
      const answer = await this.stores[step.as]!.send({ path: `/v1/store/orders/${id}` });
      if (judged(answer, 200, order?.owner === step.as ? undefined : 'order_not_found'))
        expect(orderOf(answer)).toMatchObject({ id, petId: order!.petId, status: order!.status });
    }
  }

  private async update(
    { pet: at, name, status: next }: Extract<Step, { what: 'update' }>,
    store: Store,
  ): Promise<void> {
    const id = pick(this.petIds, at);
    const pet = this.pets.get(id);
    const isChange = pet !== undefined && next !== undefined && next !== pet.status;
    let refusal: Code | undefined;
    if (name === undefined && next === undefined) refusal = 'invalid_body';
    else if (!pet) refusal = 'pet_not_found';
    else if (isChange && pet.orderId !== undefined) refusal = 'pet_has_open_order';
    else if (isChange && pet.status === 'sold') refusal = 'invalid_status_transition';
    const answer = await store.update(id, { name, status: next });
    if (!judged(answer, 200, refusal) || !pet) return;
    Object.assign(pet, { name: name ?? pet.name, status: next ?? pet.status });
    expect(answer.body).toEqual({ id, name: pet.name, categoryId: 1n, status: pet.status });
  }

  private async order(as: number, petId: bigint): Promise<void> {
    const pet = this.pets.get(petId);
    const refusal = !pet ? 'pet_not_found' : pet.status === 'available' ? undefined : 'pet_not_available';
    const answer = await this.stores[as]!.order(petId);
    if (!judged(answer, 201, refusal)) return;
    const { id } = orderOf(answer);
    this.orders.set(id, { petId, owner: as, status: 'placed' });
    Object.assign(pet!, { status: 'pending', orderId: id });
  }

  private async act(as: number, id: bigint, action: string): Promise<void> {
    const order = this.orders.get(id);
    const next = { approve: 'approved', deliver: 'delivered', cancel: 'cancelled' }[action]!;
    const from = { approve: ['placed'], deliver: ['approved'], cancel: OPEN }[action]!;
    let refusal: Code | undefined;
    if (order?.owner !== as) refusal = 'order_not_found';
    else if (!from.includes(order.status)) refusal = 'invalid_status_transition';
    const answer = await this.stores[as]!.act(id, action);
    if (!judged(answer, 200, refusal)) return;
    order!.status = next;
    expect(orderOf(answer)).toMatchObject({ id, petId: order!.petId, status: next });
    if (OPEN.includes(next)) return;
    Object.assign(this.pets.get(order!.petId)!, {
      status: next === 'delivered' ? 'sold' : 'available',
      orderId: undefined,
    });
  }

  /** The service has exactly what the model has. */
  async compare(): Promise<void> {
    if (this.petIds.length > 0) {
      const { body } = await this.stores[0]!.list(`limit=100&ids=${this.petIds.join(',')}`);
      const expected = [...this.pets].map(([id, { name, status: now }]) => ({
        id,
        name,
        categoryId: 1n,
        status: now,
      }));
      expect(body).toEqual(expected);
    }
    for (const [owner, store] of this.stores.entries()) {
      const own = [...this.orders].filter(([, order]) => order.owner === owner).map(([id]) => id);
      const after = own.length === 0 ? [] : await everyOrder(store);
      expect(after.filter((id) => this.orders.has(id))).toEqual(own);
    }
  }
}

async function everyOrder(store: Store): Promise<bigint[]> {
  const ids: bigint[] = [];
  let cursor = '';
  for (;;) {
    const page = await store.send({ path: `/v1/store/orders?limit=100${cursor}` });
    ids.push(...ordersOf(page).map(({ id }) => id));
    const next = page.headers['x-next-cursor'];
    if (next === undefined) return ids;
    cursor = `&cursor=${String(next)}`;
  }
}

/** One of the ids, or an id that no row has. */
const pick = (ids: bigint[], at: number) => ids[at] ?? -1n;

/** Whether the answer is the expected success; fails if it is neither that nor the expected refusal. */
function judged(answer: Answer, success: number, refusal: Code | undefined): boolean {
  if (refusal === undefined)
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: success });
  else expectError(answer, refusal);
  return refusal === undefined;
}

describe.each(databaseKinds)('random sequences of operations on $name', (kind) => {
  const service = sharedService(kind);
  let stores: Store[];

  beforeAll(async () => {
    stores = [await service.issueKey(), await service.issueKey()].map((key) => new Store(service.url, key));
  });

  it('give the results of the model for the animals and orders of two keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        const model = new Model(stores);
        for (const taken of steps) await model.take(taken);
        await model.compare();
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    );
  }, 300_000);
});
