import { describe, expect, it } from '@jest/globals';
import { ORDER_STATUSES, stepOf, type OrderAction } from './order-states.js';

const ACTIONS: OrderAction[] = ['approve', 'deliver', 'cancel'];
/** Every pair of a state and an action that is allowed, where it leads, and what becomes of the animal. */
const ALLOWED = new Map([
  ['placed approve', 'approved, reserved'],
  ['placed cancel', 'cancelled, available'],
  ['approved deliver', 'delivered, sold'],
  ['approved cancel', 'cancelled, available'],
]);

describe('the states of an order', () => {
  it.each(ORDER_STATUSES.flatMap((from) => ACTIONS.map((action) => [action, from] as const)))(
    '%s from %s',
    (action, from) => {
      const { isAllowed, to, petBecomes = 'reserved' } = stepOf(action, from);
      const outcome = isAllowed ? `${to}, ${petBecomes}` : undefined;
      expect(outcome).toBe(ALLOWED.get(`${from} ${action}`));
    },
  );

  it('leave no way out of delivered and cancelled', () => {
    for (const action of ACTIONS) {
      expect(stepOf(action, 'delivered').isAllowed).toBe(false);
      expect(stepOf(action, 'cancelled').isAllowed).toBe(false);
    }
  });

  it('give the animal back or away whenever an order ends, and only then', () => {
    for (const action of ACTIONS) {
      const { to, petBecomes } = stepOf(action, 'placed');
      expect(petBecomes !== undefined).toBe(to === 'delivered' || to === 'cancelled');
    }
  });
});
