import type { Plan } from '../auth/plans.js';

/** The most open orders of a key with `order` access. Source: the service interface, "Orders have a bound". */
export const MAX_OPEN_ORDERS: Readonly<Record<Plan, number>> = {
  free: 10,
  pro: 100,
  business: 1_000,
  enterprise: 10_000,
};
