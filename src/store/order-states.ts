export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export type OrderAction = 'approve' | 'deliver' | 'cancel';

interface Transition {
  from: readonly OrderStatus[];
  to: OrderStatus;
  /** The new status of the animal; absent where the animal stays reserved. */
  petStatus?: 'available' | 'sold';
}

const TRANSITIONS: Readonly<Record<OrderAction, Transition>> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', petStatus: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', petStatus: 'available' },
};

/** The transition of an action; `isAllowed` is false where the state `from` does not allow it. */
export function transitionOf(action: OrderAction, from: OrderStatus): Transition & { isAllowed: boolean } {
  const transition = TRANSITIONS[action];
  return { ...transition, isAllowed: transition.from.includes(from) };
}
