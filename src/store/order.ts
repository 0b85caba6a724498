import type { OrderStatus } from './order-states.js';

/** An order reserves one animal; it belongs to the API key that placed it. */
export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  createdAt: Date;
  updatedAt: Date;
}

/** Which orders a list shows; an absent filter lets everything through. */
export interface OrderFilter {
  status?: OrderStatus | undefined;
}
