import { expect } from '@jest/globals';
import { onDatabase, type TestDatabase } from '../../support/databases.js';

interface PetRow {
  id: string;
  name: string;
  status: string;
  open_order_id: string | null;
}

interface OrderRow {
  id: string;
  pet_id: string;
  status: string;
}

/** The rows of animals and orders in the database. */
export interface DatabaseSnapshot {
  pets: PetRow[];
  orders: OrderRow[];
}

export async function readSnapshot(database: TestDatabase): Promise<DatabaseSnapshot> {
  return {
    pets: await onDatabase(
      database,
      'select id::text, name, status, open_order_id::text from pets order by id',
    ),
    orders: await onDatabase(database, 'select id::text, pet_id::text, status from orders order by id'),
  };
}

/** Expects that an animal is pending exactly while it has an open order, and has at most one. */
export function expectAgreement({ pets, orders }: DatabaseSnapshot): void {
  const openOrderOf = new Map<string, string>();
  for (const { id, pet_id, status } of orders) {
    if (!['placed', 'approved'].includes(status)) continue;
    expect(openOrderOf.get(pet_id)).toBeUndefined();
    openOrderOf.set(pet_id, id);
  }
  const disagreeing = pets.filter(({ id, status, open_order_id }) => {
    const open = openOrderOf.get(id) ?? null;
    return open_order_id !== open || (status === 'pending') !== (open !== null);
  });
  expect(disagreeing).toEqual([]);
  const known = new Set(pets.map(({ id }) => id));
  expect([...openOrderOf.keys()].filter((petId) => !known.has(petId))).toEqual([]);
}
