import { expect } from '@jest/globals';
import { orderOf, type Store } from '../../support/store.js';
import type { OwnPostgres } from '../../faults/support/own-postgres.js';
import { reportProof } from './report.js';

const ROUNDS = 20;
const RACING = 30;

/** Each round sends simultaneous orders for one animal to all replicas. */
export async function raceForOrders(callers: readonly Store[], database: OwnPostgres): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pet = await callers[0]!.create(`Rex ${round}`, 1);
    const answers = await Promise.all(callers.slice(0, RACING).map((caller) => caller.order(pet.id)));
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(RACING - 1);
    const [row] = await database.query<{ open: string }>(
      `select open_order_id::text as open from pets where id = ${String(pet.id)}`,
    );
    expect(row!.open).toBe(String(orderOf(won[0]!).id));
  }
  reportProof('Citus, orders for one animal', { rounds: ROUNDS, orders: RACING, winners: 1 });
}
