import { connect, type Socket } from 'node:net';

/** The bytes of one request, and the expected status. */
export interface Call {
  text: string;
  status: number;
}

export interface Outcome {
  ms: number;
  failure?: string;
}

const HEAD_END = '\r\n\r\n';
const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const RECONNECT_MS = 20;

/** A kept connection that sends the next call as soon as the last is answered. */
export class Connection {
  private socket!: Socket;
  private call: Call | undefined;
  private sentAtMs = 0;
  private head = '';
  private status = 0;
  /** The number of missing bytes of the body; negative while the head is incomplete. */
  private missing = -1;
  private finished: (() => void) | undefined;

  constructor(
    private readonly port: number,
    private readonly nextCall: () => Call,
    private readonly hear: (outcome: Outcome) => void,
  ) {
    this.open();
  }

  /** Stops sending, and resolves when the current call is answered. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.finished = resolve;
      if (!this.call) this.end();
    });
  }

  /** Closes at once; a call without a response is a failure. */
  giveUp(): void {
    if (this.call) this.hear({ ms: this.elapsedMs(), failure: 'no answer' });
    this.end();
  }

  private open(): void {
    this.socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    this.socket.on('connect', () => this.send());
    this.socket.on('data', (chunk) => this.receive(chunk));
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.lose(error.code ?? error.message));
    this.socket.on('close', () => this.lose('closed'));
  }

  private send(): void {
    if (this.finished) {
      this.end();
      return;
    }
    this.call = this.nextCall();
    this.sentAtMs = performance.now();
    this.socket.write(this.call.text, 'latin1');
  }

  private receive(chunk: Buffer): void {
    if (this.missing >= 0) {
      this.missing -= chunk.length;
    } else {
      this.head += chunk.toString('latin1');
      const end = this.head.indexOf(HEAD_END);
      if (end < 0) return;
      this.status = Number(this.head.slice(STATUS_AT, STATUS_AT + 3));
      const head = this.head.slice(0, end);
      const length = LENGTH.exec(head)?.[1];
      const hasNoBody = this.status === 204 || this.status === 304;
      if (length === undefined && !hasNoBody) {
        this.socket.destroy(new Error('an answer without a length'));
        return;
      }
      this.missing = (hasNoBody ? 0 : Number(length)) - (this.head.length - end - HEAD_END.length);
    }
    if (this.missing <= 0) this.answered();
  }

  private answered(): void {
    const ms = this.elapsedMs();
    const isAsExpected = this.status === this.call?.status && this.missing === 0;
    this.hear(isAsExpected ? { ms } : { ms, failure: `status ${this.status}` });
    this.call = undefined;
    this.head = '';
    this.missing = -1;
    this.send();
  }

  /** Counts the current call of a broken connection as a failure, and connects again. */
  private lose(reason: string): void {
    this.socket.removeAllListeners('close').on('error', () => undefined);
    if (this.finished && !this.call) return;
    this.hear({ ms: this.elapsedMs(), failure: reason });
    this.call = undefined;
    this.head = '';
    this.missing = -1;
    if (this.finished) this.end();
    else setTimeout(() => this.open(), RECONNECT_MS);
  }

  private end(): void {
    this.call = undefined;
    this.finished?.();
    this.socket.destroy();
  }

  private elapsedMs(): number {
    return performance.now() - this.sentAtMs;
  }
}
