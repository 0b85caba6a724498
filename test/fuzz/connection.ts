import { connect, type Socket } from 'node:net';
import { parseJson } from '../../src/common/json.js';
import type { Answer } from '../support/http/client.js';

/** Longer than any deadline of the service for a complete request, also on a busy machine. */
const HANGS_AFTER_MS = 25_000;
/** After this time without a byte, the service waits for more data than the test sends. */
const SILENT_AFTER_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');

interface Waiting {
  /** Whether the response to each request has no body, as for HEAD. If undefined, wait until the connection ends. */
  bodiless: boolean[] | undefined;
  resolve: (exchange: Exchange) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

export interface Exchange {
  answers: Answer[];
  /** The service has ended the connection, or is about to. */
  isClosed: boolean;
}

/**
 * One kept connection from its own client address. It is reopened when the service has closed it.
 * Received data is split by Content-Length, and bytes outside any response are a failure.
 */
export class Connection {
  private socket: Socket | undefined;
  private received: Buffer = Buffer.alloc(0);
  private answers: Answer[] = [];
  private waiting: Waiting | undefined;

  constructor(
    private readonly url: URL,
    private readonly localAddress: string,
  ) {}

  /** Writes the bytes at once. Resolves with one response per element of `bodiless`, or fewer if the connection ended. */
  exchange(bytes: Buffer, bodiless: boolean[] | undefined): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const hang = () => this.fail(new Error(`no response within ${HANGS_AFTER_MS} ms`));
      this.waiting = { bodiless, resolve, reject, timer: setTimeout(hang, HANGS_AFTER_MS) };
      this.answers = [];
      this.open().write(bytes);
    });
  }

  /**
   * Writes bytes that may not be HTTP, and resolves with every response once the connection has ended. If the
   * service waits for more, this side closes it; `isClosed` is true if the service did.
   */
  async converse(bytes: Buffer): Promise<Exchange> {
    this.close();
    const socket = this.open();
    let isClosed = true;
    socket.setTimeout(SILENT_AFTER_MS, () => {
      isClosed = false;
      socket.end();
    });
    const { answers } = await this.exchange(bytes, undefined);
    return { answers, isClosed };
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
    this.received = Buffer.alloc(0);
  }

  private open(): Socket {
    if (this.socket && !this.socket.destroyed && this.socket.writable) return this.socket;
    this.close();
    const { hostname, port } = this.url;
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.localAddress });
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      if (socket === this.socket) this.take(bytes);
    });
    // The close event follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (socket === this.socket) this.ended();
    });
    this.socket = socket;
    return socket;
  }

  private take(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    try {
      for (;;) {
        const answer = this.nextAnswer();
        if (!answer) return;
        if (answer.status < 200) continue;
        this.answers.push(answer);
        const isLast = answer.headers.connection === 'close';
        const { bodiless } = this.waiting!;
        if (bodiless && (isLast || this.answers.length === bodiless.length)) this.settle(isLast);
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** Removes the next complete response from the received data. */
  private nextAnswer(): Answer | undefined {
    if (this.received.length === 0) return undefined;
    if (!this.waiting)
      throw new Error(`bytes without a request: ${JSON.stringify(this.received.toString())}`);
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd === -1) return undefined;
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(statusLine)}`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      if (name in headers) throw new Error(`${name} is duplicated`);
      headers[name] = line.slice(colon + 1).trim();
    }
    const isBodiless = this.waiting.bodiless?.[this.answers.length] === true || [204, 304].includes(status);
    const bodyEnd = headEnd + HEAD_END.length + (isBodiless ? 0 : Number(headers['content-length'] ?? 0));
    if (this.received.length < bodyEnd) return undefined;
    const body = this.received.subarray(headEnd + HEAD_END.length, bodyEnd);
    this.received = this.received.subarray(bodyEnd);
    const isJson = headers['content-type']?.startsWith('application/json') === true && body.length > 0;
    return { status, headers, text: body.toString(), body: isJson ? parseJson(body) : undefined };
  }

  private ended(): void {
    if (this.received.length > 0 && this.waiting)
      this.fail(new Error(`the response is incomplete: ${JSON.stringify(this.received.toString())}`));
    else this.settle(true);
  }

  private settle(isClosed: boolean): void {
    const { waiting, answers } = this;
    if (!waiting) return;
    this.waiting = undefined;
    clearTimeout(waiting.timer);
    if (isClosed) this.close();
    waiting.resolve({ answers, isClosed });
  }

  private fail(error: Error): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.close();
    if (!waiting) return;
    clearTimeout(waiting.timer);
    waiting.reject(error);
  }
}
