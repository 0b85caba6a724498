import { connect, type Socket } from 'node:net';
import type { Answer } from '../support/http/client.js';
import { answersIn } from '../support/http/raw.js';

/** Longer than any deadline of the service for a complete request, also on a busy machine. */
const HANGS_AFTER_MS = 25_000;
/** After this time without a byte, the service waits for more data than the test sends. */
const SILENT_AFTER_MS = 2_000;

/** One kept connection from its own client address. It is reopened when the service has closed it. */
export class Connection {
  private socket: Socket | undefined;
  private received: Buffer = Buffer.alloc(0);
  private wake: () => void = () => undefined;

  constructor(
    private readonly url: URL,
    private readonly localAddress: string,
  ) {}

  /** Sends one request. Resolves with undefined if the connection ended without a response or got none in time. */
  async request(bytes: Buffer, isHead: boolean): Promise<Answer | undefined> {
    const socket = this.socket?.writable ? this.socket : this.open(HANGS_AFTER_MS);
    socket.write(bytes);
    for (;;) {
      // The method of a request that the parser refuses is not known.
      const isRefused = this.received.toString('latin1', 0, 12) === 'HTTP/1.1 431';
      const { answers, rest } = answersIn(this.received, isHead && !isRefused);
      const [answer, ...more] = answers.filter(({ status }) => status >= 200);
      const isComplete = answer !== undefined && rest.length === 0 && more.length === 0;
      if (answer ? !isComplete : socket.destroyed && rest.length > 0)
        throw new Error(`bytes outside a response: ${JSON.stringify(this.received.toString())}`);
      if (answer || socket.destroyed) {
        this.received = rest;
        if (answer?.headers.connection === 'close') this.close();
        return answer && isHead ? { ...answer, text: '', body: undefined } : answer;
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /**
   * Writes bytes that may not be HTTP, and resolves with every response once the connection has ended. If the
   * service waits for more, this side closes it; `isClosed` is true if the service did.
   */
  async converse(bytes: Buffer): Promise<{ answers: Answer[]; isClosed: boolean }> {
    this.close();
    let isClosed = true;
    const socket = this.open(SILENT_AFTER_MS, () => {
      isClosed = false;
      socket.end();
    });
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    const { answers, rest } = answersIn(this.received);
    if (rest.length > 0) throw new Error(`the response is incomplete: ${JSON.stringify(rest.toString())}`);
    return { answers: answers.filter(({ status }) => status >= 200), isClosed };
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private open(timeoutMs: number, onTimeout?: () => void): Socket {
    const { hostname, port } = this.url;
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.localAddress });
    this.received = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, onTimeout ?? (() => socket.destroy()));
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      if (socket !== this.socket) return;
      this.received = Buffer.concat([this.received, bytes]);
      this.wake();
    });
    // The close event follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.wake());
    this.socket = socket;
    return socket;
  }
}
