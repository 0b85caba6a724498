import { beforeAll, expect } from '@jest/globals';
import { call, creation, type Answer, type Call } from './http/client.js';
import type { KeyOptions } from './keys.js';
import type { RunningService } from './service.js';

export interface PetShape {
  id: bigint;
  name: string;
  categoryId: bigint;
  status: string;
}

export const petOf = (answer: Answer) => answer.body as unknown as PetShape;

export interface OrderShape {
  id: bigint;
  petId: bigint;
  keyId: string;
  reference: string | null;
  status: string;
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export const orderOf = (answer: Answer) => answer.body as unknown as OrderShape;
export const ordersOf = (answer: Answer) => answer.body as unknown as OrderShape[];

/** The operations on animals and orders, called with one key. */
export class Store {
  constructor(
    readonly url: string,
    readonly key: string,
    /** The id of the key. */
    readonly id = '',
  ) {}

  send(options: Call): Promise<Answer> {
    return call(this.url, { key: this.key, ...options });
  }

  get(path: string): Promise<Answer> {
    return this.send({ path });
  }

  list(query: string): Promise<Answer> {
    return this.send({ path: `/v1/pets?${query}` });
  }

  post(body: unknown): Promise<Answer> {
    return this.send(creation(body));
  }

  async create(name: string, categoryId: bigint | number, status?: string): Promise<PetShape> {
    const statusField = status === undefined ? '' : `,"status":"${status}"`;
    const answer = await this.post(
      `{"name":${JSON.stringify(name)},"categoryId":${String(categoryId)}${statusField}}`,
    );
    expect(answer.status).toBe(201);
    return petOf(answer);
  }

  /** Follows X-Next-Cursor to the last page, with a call between the pages. */
  async walk<Row = PetShape>(
    query: string,
    { path = '/v1/pets', between }: { path?: string; between?: () => Promise<unknown> } = {},
  ): Promise<Row[]> {
    const seen: Row[] = [];
    let page = await this.get(`${path}?${query}`);
    for (;;) {
      expect(page.status).toBe(200);
      seen.push(...(page.body as unknown as Row[]));
      const cursor = page.headers['x-next-cursor'] as string | undefined;
      if (cursor === undefined) {
        expect(page.headers.link).toBeUndefined();
        return seen;
      }
      const parameters = new URLSearchParams(query);
      parameters.set('cursor', cursor);
      const next = `${path}?${parameters.toString().replaceAll('%2C', ',')}`;
      expect(page.headers.link).toBe(`<${next}>; rel="next"`);
      await between?.();
      page = await this.get(next);
    }
  }

  order(petId: bigint): Promise<Answer> {
    return this.send({ method: 'POST', path: '/v1/store/orders', body: `{"petId":${petId}}` });
  }

  async placed(petId: bigint): Promise<OrderShape> {
    const answer = await this.order(petId);
    expect(answer.status).toBe(201);
    return orderOf(answer);
  }

  transition(orderId: bigint, action: string, body?: unknown): Promise<Answer> {
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

/** The operations with a key of their own, which is issued before the tests. */
export function storeOf(service: RunningService, options?: KeyOptions): Store {
  const store = new Store('', '');
  beforeAll(async () => {
    Object.assign(store, { url: service.url, ...(await service.issue(options)) });
  });
  return store;
}
