import { describe, expect, it } from '@jest/globals';
import type { OrderStatus } from '../../../src/store/order-status.js';
import { animalModel, type Animal, type AnimalOperation, type Input, type Result } from './animal-model.js';
import { isLinearizable } from './linearizability.js';
import { falsified } from './falsified.js';

const REX: Animal = { name: 'Rex', status: 'available' };
const named = (name: string): Animal => ({ ...REX, name });
const is = (status: Animal['status']): Result => ({ animal: { ...REX, status } });
const order = (status: OrderStatus): Result => ({ order: status });
const refused = (error: string): Result => ({ error });

/** An operation from one moment to another; without a result its outcome is unknown. */
const op = (from: number, to: number, input: Input, result?: Result): AnimalOperation => ({
  input,
  result,
  calledAtMs: from,
  returnedAtMs: to,
});
const rename = (name: string): Input => ({ do: 'update', changes: { name } });
const place = (name: string): Input => ({ do: 'place', order: name });

const RIGHT: Record<string, AnimalOperation[]> = {
  'nothing happens': [],
  'one after the other': [
    op(0, 1, { do: 'get' }, { animal: REX }),
    op(2, 3, place('a'), order('placed')),
    op(4, 5, { do: 'list' }, { animals: [{ ...REX, status: 'pending' }] }),
    op(6, 7, { do: 'approve', order: 'a' }, order('approved')),
    op(8, 9, { do: 'deliver', order: 'a' }, order('delivered')),
    op(10, 11, { do: 'get' }, is('sold')),
  ],
  'a read during a write sees it or not': [
    op(0, 10, rename('Max'), { animal: named('Max') }),
    op(1, 2, { do: 'get' }, { animal: REX }),
    op(3, 4, { do: 'get' }, { animal: named('Max') }),
  ],
  'an unknown write took effect late': [
    op(0, 1, rename('Max')),
    op(2, 3, { do: 'get' }, { animal: REX }),
    op(4, 5, { do: 'get' }, { animal: named('Max') }),
  ],
  'an unknown write never took effect': [
    op(0, 1, { do: 'delete' }),
    op(2, 3, { do: 'get' }, { animal: REX }),
  ],
  'a held state matches again': [
    op(0, 1, rename('Max'), { animal: named('Max') }),
    op(2, 3, rename('Rex'), { animal: REX }),
    op(4, 5, { do: 'delete', ifMatch: REX }, { deleted: true }),
    op(6, 7, place('a'), refused('pet_not_found')),
  ],
};

const WRONG: Record<string, AnimalOperation[]> = {
  'a lost write': [
    op(0, 1, rename('Max'), { animal: named('Max') }),
    op(2, 3, { do: 'get' }, { animal: REX }),
  ],
  'a stale read after a fresh one': [
    op(0, 10, rename('Max'), { animal: named('Max') }),
    op(1, 2, { do: 'get' }, { animal: named('Max') }),
    op(3, 4, { do: 'get' }, { animal: REX }),
  ],
  'a write that was refused took effect': [
    op(0, 1, { do: 'delete' }, refused('pet_has_open_order')),
    op(2, 3, { do: 'get' }, { animal: REX }),
  ],
  'two orders for one animal': [op(0, 5, place('a'), order('placed')), op(1, 6, place('b'), order('placed'))],
  'both delivered and cancelled': [
    op(0, 1, place('a'), order('placed')),
    op(2, 3, { do: 'approve', order: 'a' }, order('approved')),
    op(4, 8, { do: 'deliver', order: 'a' }, order('delivered')),
    op(5, 9, { do: 'cancel', order: 'a' }, order('cancelled')),
  ],
  'an order approved and its animal available': [
    op(0, 1, place('a'), order('placed')),
    op(2, 3, { do: 'approve', order: 'a' }, order('approved')),
    op(4, 5, { do: 'get' }, { animal: REX }),
  ],
  'a change with a tag that no longer matched': [
    op(0, 1, rename('Max'), { animal: named('Max') }),
    op(2, 3, { do: 'delete', ifMatch: REX }, { deleted: true }),
  ],
  'an unknown write that shows and vanishes': [
    op(0, 1, rename('Max')),
    op(2, 3, { do: 'get' }, { animal: named('Max') }),
    op(4, 5, { do: 'get' }, { animal: REX }),
  ],
  'an unknown write seen before its call': [
    op(0, 1, { do: 'get' }, { animal: named('Max') }),
    op(2, 3, rename('Max')),
  ],
  'a list of orders without one': [
    op(0, 1, place('a'), order('placed')),
    op(2, 3, { do: 'listOrders' }, { orders: {} }),
  ],
};

const accepts = (history: AnimalOperation[]) => isLinearizable(animalModel(REX), history);

describe('the checker of histories', () => {
  it.each(Object.entries(RIGHT))('accepts: %s', (_what, history) => {
    expect(accepts(history)).toBe(true);
  });

  it.each(Object.entries(WRONG))('refuses: %s', (_what, history) => {
    expect(accepts(history)).toBe(false);
  });

  it('refuses a right history with one falsified result', () => {
    for (const history of falsified(RIGHT['one after the other']!)) expect(accepts(history)).toBe(false);
  });

  it('decides a long history with unknown outcomes', () => {
    const history = Array.from({ length: 60 }, (_, n) =>
      n % 10 === 9
        ? op(2 * n, 2 * n + 1, rename(`unknown ${n}`))
        : op(2 * n, 2 * n + 1, rename(`${n}`), { animal: named(`${n}`) }),
    );
    expect(accepts(history)).toBe(true);
    expect(accepts([...history, op(1_000, 1_001, { do: 'get' }, { animal: REX })])).toBe(false);
  });
});
