import { expect } from '@jest/globals';
import type { Answer } from './http/client.js';
import type { Store } from './store.js';

export interface IssuedWebhook {
  id: string;
  secret: string;
  cursor: string;
}

/** The operations on webhooks, called with one key. */
export class WebhooksOf {
  constructor(private readonly store: Store) {}

  post(body: unknown): Promise<Answer> {
    return this.store.send({ method: 'POST', path: '/v1/webhooks', body });
  }

  async create(body: unknown): Promise<IssuedWebhook> {
    const answer = await this.post(body);
    expect(answer.status).toBe(201);
    return answer.body as unknown as IssuedWebhook;
  }

  get(id: string): Promise<Answer> {
    return this.store.get(`/v1/webhooks/${id}`);
  }

  update(id: string, body: unknown): Promise<Answer> {
    return this.store.send({ method: 'PATCH', path: `/v1/webhooks/${id}`, body });
  }

  remove(id: string): Promise<Answer> {
    return this.store.send({ method: 'DELETE', path: `/v1/webhooks/${id}` });
  }

  rotate(id: string): Promise<Answer> {
    return this.store.send({ method: 'POST', path: `/v1/webhooks/${id}/rotate-secret` });
  }

  test(id: string): Promise<Answer> {
    return this.store.send({ method: 'POST', path: `/v1/webhooks/${id}/test` });
  }
}
