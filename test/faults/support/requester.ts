import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Sent {
  method?: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A caller with kept connections and without the checks of `call`, for load. */
export class Requester {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly key: string) {}

  /** Rejects if the connection breaks before the end of the response. */
  send(baseUrl: string, { method = 'GET', path, body, headers }: Sent): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, baseUrl),
        {
          agent: this.agent,
          method,
          headers: {
            authorization: `Bearer ${this.key}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (part: string) => (text += part));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  createPet(baseUrl: string, name: string): Promise<Reply> {
    return this.post(baseUrl, '/v1/pets', `{"name":"${name}","categoryId":1}`, `pet-${name}`);
  }

  post(baseUrl: string, path: string, body: string, idempotencyKey: string): Promise<Reply> {
    return this.send(baseUrl, { method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey } });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The id in a pet's or an order's JSON, exactly. */
export const idIn = (text: string): string => /"id":(-?\d+)/.exec(text)?.[1] ?? '';
