export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** What callers do to an order. */
export type OrderAction = 'approve' | 'deliver' | 'cancel';

/** The order holds its animal. */
export const OPEN_STATUSES = ['placed', 'approved'] as const satisfies readonly OrderStatus[];

interface Transition {
  from: readonly OrderStatus[];
  to: OrderStatus;
  /** The new status of the animal; absent where the animal stays reserved. */
  petStatus?: 'available' | 'sold';
}

const TRANSITIONS: Readonly<Record<OrderAction | 'expire', Transition>> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', petStatus: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', petStatus: 'available' },
  expire: { from: ['placed'], to: 'expired', petStatus: 'available' },
};

/** The transition of an action; `isAllowed` is false where the state `from` does not allow it. */
export function transitionOf(
  action: OrderAction | 'expire',
  from: OrderStatus,
): Transition & { isAllowed: boolean } {
  const transition = TRANSITIONS[action];
  return { ...transition, isAllowed: transition.from.includes(from) };
}
