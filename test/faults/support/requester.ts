import { Agent } from 'node:http';
import { callUnchecked, type Answer, type Call } from '../../support/http/client.js';

/** A caller with kept connections and without the checks of `call`, for load. */
export class Requester {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly key: string) {}

  /** Rejects if the connection breaks before the end of the response. */
  send(baseUrl: string, options: Call): Promise<Answer> {
    return callUnchecked(baseUrl, { key: this.key, ...options }, this.agent);
  }

  createPet(baseUrl: string, name: string): Promise<Answer> {
    return this.post(baseUrl, '/v1/pets', `{"name":"${name}","categoryId":1}`, `pet-${name}`);
  }

  post(baseUrl: string, path: string, body: string, idempotencyKey: string): Promise<Answer> {
    return this.send(baseUrl, { method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey } });
  }
}

/** The id in a pet's or an order's JSON, exactly. */
export const idIn = (text: string): string => /"id":(-?\d+)/.exec(text)?.[1] ?? '';
