import { Connection } from './connection.js';
import { checkAnswer } from './invariants.js';
import { Ledger } from './ledger.js';
import { toBytes, type FuzzRequest, type Secrets } from './request.js';

/** One of many callers, with its own address, two keys and connection. It sends one request at a time. */
export class Worker {
  readonly ledger = new Ledger();
  requests = 0;
  private previous = 'nothing';
  readonly connection: Connection;

  /** `number` starts at 0. The address is 127.0.1.(number + 1). */
  constructor(
    url: string,
    private readonly number: number,
    readonly secrets: Secrets,
  ) {
    this.connection = new Connection(new URL(url), `127.0.1.${number + 1}`);
  }

  /** Sends a request and checks all invariants of its response. */
  async send(request: FuzzRequest): Promise<void> {
    const requestId = `w${this.number}-${(this.requests += 1)}`;
    const bytes = toBytes(request, this.secrets, requestId);
    const answer = await this.connection.request(bytes, request.method === 'HEAD');
    // A response to `Connection: close` does not have to repeat that header.
    if (request.headers.some(([name, value]) => name === 'Connection' && value === 'close'))
      this.connection.close();
    if (!answer)
      throw new Error(
        `the connection was closed without a response; the previous request was ${this.previous}`,
      );
    try {
      this.ledger.enter(answer, request);
      checkAnswer(answer, request, this.secrets, requestId);
    } catch (error) {
      // An incorrect count is only visible in the next response.
      throw new Error(`${(error as Error).message}\nthe previous request was ${this.previous}`, {
        cause: error,
      });
    } finally {
      this.previous = `${bytes.toString('latin1').slice(0, 500)} → ${answer.status} ${answer.text.slice(0, 200)}`;
    }
  }
}
