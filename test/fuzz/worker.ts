import { Connection, type Exchange } from './connection.js';
import { checkAnswer } from './invariants.js';
import { Ledger } from './ledger.js';
import { toBytes, type FuzzRequest, type Secrets } from './request.js';

/** One caller among many: an address, two keys and a connection of its own, one request at a time. */
export class Worker {
  readonly ledger = new Ledger();
  requests = 0;
  private before = 'nothing';
  private readonly connection: Connection;

  /** `number`: from 0; its address is 127.0.1.(number + 1). */
  constructor(
    url: string,
    private readonly number: number,
    readonly secrets: Secrets,
  ) {
    this.connection = new Connection(new URL(url), `127.0.1.${number + 1}`);
  }

  /** Sends a request and holds its answer against everything that must be so. */
  async send(request: FuzzRequest): Promise<void> {
    const requestId = `w${this.number}-${(this.requests += 1)}`;
    const bytes = toBytes(request, this.secrets, requestId);
    const { answers } = await this.connection.exchange(bytes, [request.method === 'HEAD']);
    const [answer] = answers;
    // Whoever has asked for the end of the connection need not be told of it.
    if (request.headers.some(([name, value]) => name === 'Connection' && value === 'close')) this.close();
    if (!answer)
      throw new Error(`the connection was closed without an answer; before it came ${this.before}`);
    try {
      this.ledger.enter(answer, request);
      checkAnswer(answer, request, this.secrets, requestId);
    } catch (error) {
      // A charge that should not have been shows with the next answer only.
      throw new Error(`${(error as Error).message}\nbefore it came ${this.before}`, { cause: error });
    } finally {
      this.before = `${bytes.toString('latin1').slice(0, 500)} → ${answer.status} ${answer.text.slice(0, 200)}`;
    }
  }

  /** Sends what may be no HTTP at all. */
  converse(bytes: Buffer): Promise<Exchange> {
    return this.connection.converse(bytes);
  }

  close(): void {
    this.connection.close();
  }
}
