import { isAllowedTransition, type PetStatus } from '../../../src/pets/pet-status.js';
import { type OrderAction, type OrderStatus, transitionOf } from '../../../src/store/order-status.js';
import type { Model, Operation } from './linearizability.js';

/** An animal as callers see it. */
export interface Animal {
  name: string;
  status: PetStatus;
}

/** What a caller asks for. An order is named by its reference. `ifMatch`: the state that the caller held; absent: any. */
export type Input =
  | { do: 'get' }
  | { do: 'list' }
  | { do: 'update'; changes: Partial<Animal>; ifMatch?: Animal }
  | { do: 'delete'; ifMatch?: Animal }
  | { do: 'place'; order: string }
  | { do: 'getOrder'; order: string }
  | { do: 'listOrders' }
  | { do: OrderAction; order: string; ifMatch?: OrderStatus };

/** The code of an error, or what a success shows. */
export type Result =
  | { error: string }
  | { animal: Animal }
  | { animals: Animal[] }
  | { order: OrderStatus }
  | { orders: Record<string, OrderStatus> }
  | { deleted: true };

export type AnimalOperation = Operation<Input, Result>;

interface State {
  animal: Animal | undefined;
  openOrder: string | undefined;
  orders: Readonly<Record<string, OrderStatus>>;
}

/** One animal and its orders, by the rules of the service. Orders do not expire. */
export function animalModel(animal: Animal): Model<State, Input, Result> {
  return {
    initial: { animal, openOrder: undefined, orders: {} },
    step: (state, input, result) => {
      const [expected, next] = outcomeOf(state, input);
      return result === undefined || keyOf(result) === keyOf(expected) ? next : undefined;
    },
    keyOf,
  };
}

/** JSON with the properties in one order. */
const keyOf = (value: object): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

function outcomeOf(state: State, input: Input): [Result, State] {
  const { animal, openOrder, orders } = state;
  const refuse = (error: string): [Result, State] => [{ error }, state];
  switch (input.do) {
    case 'get':
      return animal ? [{ animal }, state] : refuse('pet_not_found');
    case 'list':
      return [{ animals: animal ? [animal] : [] }, state];
    case 'listOrders':
      return [{ orders }, state];
    case 'getOrder': {
      const order = orders[input.order];
      return order ? [{ order }, state] : refuse('order_not_found');
    }
    case 'update': {
      if (!animal) return refuse('pet_not_found');
      if (input.ifMatch && keyOf(input.ifMatch) !== keyOf(animal)) return refuse('precondition_failed');
      const changed = { ...animal, ...input.changes };
      if (changed.status !== animal.status && openOrder !== undefined) return refuse('pet_has_open_order');
      if (!isAllowedTransition(animal.status, changed.status)) return refuse('invalid_status_transition');
      return [{ animal: changed }, { ...state, animal: changed }];
    }
    case 'delete':
      if (!animal) return refuse('pet_not_found');
      if (input.ifMatch && keyOf(input.ifMatch) !== keyOf(animal)) return refuse('precondition_failed');
      if (openOrder !== undefined) return refuse('pet_has_open_order');
      return [{ deleted: true }, { ...state, animal: undefined }];
    case 'place': {
      if (!animal) return refuse('pet_not_found');
      if (animal.status !== 'available') return refuse('pet_not_available');
      const placed = { ...orders, [input.order]: 'placed' as const };
      const reserved = { ...animal, status: 'pending' as const };
      return [{ order: 'placed' }, { animal: reserved, openOrder: input.order, orders: placed }];
    }
    default: {
      const order = orders[input.order];
      if (!order) return refuse('order_not_found');
      if (input.ifMatch && input.ifMatch !== order) return refuse('precondition_failed');
      const { isAllowed, to, petStatus } = transitionOf(input.do, order);
      if (!isAllowed) return refuse('invalid_status_transition');
      const changed = { ...state, orders: { ...orders, [input.order]: to } };
      if (petStatus === undefined || !animal) return [{ order: to }, changed];
      return [{ order: to }, { ...changed, animal: { ...animal, status: petStatus }, openOrder: undefined }];
    }
  }
}
