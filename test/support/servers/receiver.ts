import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { parseJson } from '../../../src/platform/common/json.js';
import { atCleanUp } from '../clean-up.js';
import type { EventShape } from '../feed.js';
import { until } from '../until.js';
import { listen } from './listen.js';

/** A message that came, whatever was answered. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: EventShape;
  atMs: number;
}

/** An endpoint of webhooks. */
export class Receiver {
  readonly received: Received[] = [];
  /** Answers each message. */
  answer: (response: ServerResponse, message: Received) => unknown = (response) =>
    response.writeHead(204).end();

  private constructor(readonly url: string) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(`${await listen(server)}/hooks`);
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
    server.on('request', (request, response) => {
      void text(request).then(
        (body) => {
          const event = parseJson(Buffer.from(body)) as unknown as EventShape;
          const message = { headers: request.headers, body, event, atMs: Date.now() };
          receiver.received.push(message);
          receiver.answer(response, message);
        },
        () => undefined,
      );
    });
    atCleanUp(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return receiver;
  }

  /** The messages from this index on, once there are so many. */
  take(count: number, from = 0): Promise<Received[]> {
    return until(() => this.received.length >= from + count && this.received.slice(from, from + count));
  }

  get names(): unknown[] {
    return this.received.map(({ event }) => event.data.name);
  }
}

/** Whether the signature of a message is of this secret, for an independent implementation. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
