export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export type OrderAction = 'approve' | 'deliver' | 'cancel';

interface Step {
  from: readonly OrderStatus[];
  to: OrderStatus;
  /** What becomes of the animal; absent: it stays reserved. */
  petBecomes?: 'available' | 'sold';
}

const STEPS: Readonly<Record<OrderAction, Step>> = {
  approve: { from: ['placed'], to: 'approved' },
  deliver: { from: ['approved'], to: 'delivered', petBecomes: 'sold' },
  cancel: { from: ['placed', 'approved'], to: 'cancelled', petBecomes: 'available' },
};

/** The step that an action takes from a state; `isAllowed` is false where the state does not allow it. */
export function stepOf(action: OrderAction, from: OrderStatus): Step & { isAllowed: boolean } {
  const step = STEPS[action];
  return { ...step, isAllowed: step.from.includes(from) };
}
