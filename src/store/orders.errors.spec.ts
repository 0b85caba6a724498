import { expect, it } from '@jest/globals';
import { ORDER_ERRORS, orderNotFound } from './orders.errors.js';

it('order_not_found has the message of its example', () => {
  expect(orderNotFound(42n).message).toBe(ORDER_ERRORS.order_not_found.example);
});
