import { expect } from '@jest/globals';
import { Catalogue } from './catalogue.js';
import type { Answer } from './client.js';

export interface OrderShape {
  id: bigint;
  petId: bigint;
  status: string;
  createdAt: string;
  updatedAt: string;
}

export const orderOf = (answer: Answer) => answer.body as unknown as OrderShape;
export const ordersOf = (answer: Answer) => answer.body as unknown as OrderShape[];

/** What a caller with a key does with orders, and with the animals they are for. */
export class Store extends Catalogue {
  order(petId: bigint): Promise<Answer> {
    return this.send({ method: 'POST', path: '/v1/store/orders', body: `{"petId":${petId}}` });
  }

  async placed(petId: bigint): Promise<OrderShape> {
    const answer = await this.order(petId);
    expect(answer.status).toBe(201);
    return orderOf(answer);
  }

  act(orderId: bigint, action: string, body?: unknown): Promise<Answer> {
    return this.send({ method: 'POST', path: `/v1/store/orders/${orderId}/${action}`, body });
  }

  update(petId: bigint | string, body: unknown): Promise<Answer> {
    return this.send({ method: 'PATCH', path: `/v1/pets/${petId}`, body });
  }

  remove(petId: bigint | string): Promise<Answer> {
    return this.send({ method: 'DELETE', path: `/v1/pets/${petId}` });
  }

  async statusOf(petId: bigint): Promise<string | undefined> {
    const { body } = await this.list(`ids=${petId}`);
    return (body as unknown as { status: string }[])[0]?.status;
  }
}
