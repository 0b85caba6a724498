import { expect, it } from '@jest/globals';
import { ERRORS } from '../platform/common/errors/errors.js';
import { orderNotFound } from './orders.errors.js';

it('order_not_found has the message of its example', () => {
  expect(orderNotFound(42n).message).toBe(ERRORS.order_not_found.example);
});
