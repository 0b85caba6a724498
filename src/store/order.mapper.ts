import type { Order } from './order.js';
import type { OrderRow } from './orders.repository.js';

/** A row as an Order: the one place where the two meet. */
export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    petId: row.pet_id,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
