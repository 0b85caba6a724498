import { describe, expect, it } from '@jest/globals';
import { ORDER_STATUSES, transitionOf, type OrderAction } from './order-states.js';

const ACTIONS: OrderAction[] = ['approve', 'deliver', 'cancel'];
/** Every allowed pair of a state and an action, with the next state and the status of the animal. */
const ALLOWED = new Map([
  ['placed approve', 'approved, reserved'],
  ['placed cancel', 'cancelled, available'],
  ['approved deliver', 'delivered, sold'],
  ['approved cancel', 'cancelled, available'],
]);

describe('order states', () => {
  it.each(ORDER_STATUSES.flatMap((from) => ACTIONS.map((action) => [action, from] as const)))(
    'follow the rules of the action %s from %s',
    (action, from) => {
      const { isAllowed, to, petStatus = 'reserved' } = transitionOf(action, from);
      const outcome = isAllowed ? `${to}, ${petStatus}` : undefined;
      expect(outcome).toBe(ALLOWED.get(`${from} ${action}`));
    },
  );

  it('release the animal only when the order ends', () => {
    for (const action of ACTIONS) {
      const { to, petStatus } = transitionOf(action, 'placed');
      expect(petStatus !== undefined).toBe(to === 'delivered' || to === 'cancelled');
    }
  });
});
