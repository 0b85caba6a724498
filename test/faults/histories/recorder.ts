import type { OrderAction, OrderStatus } from '../../../src/store/order-status.js';
import type { Answer, Call } from '../../support/http/client.js';
import { orderOf, ordersOf, petOf, type PetShape } from '../../support/store.js';
import { Requester } from '../support/requester.js';
import type { Animal, AnimalOperation, Input, Result } from './animal-model.js';

const ORDERS = '/v1/store/orders';
const CALLERS = 4;
const OPERATIONS_A_CALLER = 9;
/** Then the rest of the history are reads, because each unknown outcome doubles what the checker tries at worst. */
const MAX_UNKNOWN = 6;
const ACTIONS: readonly OrderAction[] = ['approve', 'deliver', 'cancel'];

const READ: Input = { do: 'get' };
const LIST: Input = { do: 'list' };
const LIST_ORDERS: Input = { do: 'listOrders' };

const animalIn = ({ name, status }: PetShape): Animal => ({ name, status: status as Animal['status'] });

/**
 * Records what several callers do at once with one animal and its orders, on services that may fail meanwhile. A change without an answer,
 * or with 503, has an unknown outcome; such a read is left out.
 */
export class Recorder {
  private readonly operations: AnimalOperation[] = [];
  /** The ids of orders by their references, as far as an answer has shown them. */
  private readonly orderIds = new Map<string, bigint>();
  /** States that callers have seen, with the tags that a later change sends. */
  private heldAnimal: { tag: string; animal: Animal } | undefined;
  private readonly heldOrders = new Map<string, { tag: string; status: OrderStatus }>();
  private made = 0;

  private constructor(
    private readonly urls: () => string[],
    private readonly caller: Requester,
    private readonly petId: bigint,
    readonly animal: Animal,
  ) {}

  /** Creates an animal; undefined when that fails. */
  static async start(urls: () => string[], key: string): Promise<Recorder | undefined> {
    const caller = new Requester(key);
    const call = { method: 'POST', path: '/v1/pets', body: { name: 'Rex', categoryId: 1 } };
    const answer = await caller.send(anyOf(urls())!, call).catch(() => undefined);
    if (answer?.status !== 201) return undefined;
    const pet = petOf(answer);
    return new Recorder(urls, caller, pet.id, animalIn(pet));
  }

  async record(): Promise<void> {
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let n = 0; n < OPERATIONS_A_CALLER; n += 1) {
          const unknown = this.operations.filter(({ result }) => result === undefined).length;
          await this.run(unknown < MAX_UNKNOWN ? this.anything() : anyOf([READ, LIST])!);
        }
      }),
    );
  }

  /** Records the last state, once the services answer again. */
  async recordEnd(): Promise<void> {
    for (const input of [LIST, LIST_ORDERS]) while (!(await this.run(input)));
  }

  /** Placings of unknown outcome whose order does not exist at the end are left out: they took no effect. */
  get history(): AnimalOperation[] {
    return this.operations.filter(
      ({ input, result }) => input.do !== 'place' || result !== undefined || this.orderIds.has(input.order),
    );
  }

  private anything(): Input {
    this.made += 1;
    const name = String(this.made);
    const order = anyOf([...this.orderIds.keys()]);
    const held = this.heldAnimal && maybe() ? { ifMatch: this.heldAnimal.animal } : {};
    const inputs: Input[] = [
      ...[READ, LIST, LIST_ORDERS],
      { do: 'update', changes: { name }, ...held },
      { do: 'update', changes: { name, status: maybe() ? 'available' : 'pending' }, ...held },
      { do: 'place', order: name },
      { do: 'place', order: name },
    ];
    if (Math.random() < 0.1) inputs.push({ do: 'delete', ...held });
    if (order !== undefined) {
      const heldOrder = this.heldOrders.get(order);
      const heldStatus = heldOrder && maybe() ? { ifMatch: heldOrder.status } : {};
      inputs.push({ do: 'getOrder', order });
      for (const action of ACTIONS) inputs.push({ do: action, order, ...heldStatus });
    }
    return anyOf(inputs)!;
  }

  /** Resolves with whether the outcome is known. */
  private async run(input: Input): Promise<boolean> {
    const call = this.callOf(input);
    const calledAtMs = performance.now();
    const answer = await this.caller.send(anyOf(this.urls())!, call).catch(() => undefined);
    const returnedAtMs = performance.now();
    const result = answer && answer.status !== 503 ? this.resultOf(input, answer) : undefined;
    if (result !== undefined || call.method !== undefined)
      this.operations.push({ input, result, calledAtMs, returnedAtMs });
    return result !== undefined;
  }

  private callOf(input: Input): Call {
    const pet = `/v1/pets/${this.petId}`;
    const ifMatch = (tag: string | undefined): Pick<Call, 'headers'> =>
      tag === undefined ? {} : { headers: { 'if-match': tag } };
    switch (input.do) {
      case 'get':
        return { path: pet };
      case 'list':
        return { path: `/v1/pets?ids=${this.petId}` };
      case 'listOrders':
        return { path: `${ORDERS}?limit=100&petId=${this.petId}` };
      case 'getOrder':
        return { path: `${ORDERS}/${this.orderIds.get(input.order)}` };
      case 'place':
        return { method: 'POST', path: ORDERS, body: `{"petId":${this.petId},"reference":"${input.order}"}` };
      case 'update':
        return {
          ...{ method: 'PATCH', path: pet, body: input.changes },
          ...ifMatch(input.ifMatch && this.heldAnimal?.tag),
        };
      case 'delete':
        return { method: 'DELETE', path: pet, ...ifMatch(input.ifMatch && this.heldAnimal?.tag) };
      default:
        return {
          ...{ method: 'POST', path: `${ORDERS}/${this.orderIds.get(input.order)}/${input.do}` },
          ...ifMatch(input.ifMatch && this.heldOrders.get(input.order)?.tag),
        };
    }
  }

  private resultOf(input: Input, answer: Answer): Result {
    if (answer.status >= 400) return { error: (answer.body as { code: string }).code };
    const tag = String(answer.headers.etag);
    switch (input.do) {
      case 'get':
      case 'update': {
        const animal = animalIn(petOf(answer));
        this.heldAnimal = { tag, animal };
        return { animal };
      }
      case 'list':
        return { animals: (answer.body as unknown as PetShape[]).map(animalIn) };
      case 'delete':
        return { deleted: true };
      case 'listOrders': {
        const orders = ordersOf(answer);
        for (const { id, reference } of orders) this.orderIds.set(reference!, id);
        return { orders: Object.fromEntries(orders.map((o) => [o.reference, o.status as OrderStatus])) };
      }
      default: {
        const { id, status } = orderOf(answer);
        this.orderIds.set(input.order, id);
        this.heldOrders.set(input.order, { tag, status: status as OrderStatus });
        return { order: status as OrderStatus };
      }
    }
  }
}

const maybe = () => Math.random() < 0.5;

function anyOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}
