import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { atOnce, until } from '../../../support/until.js';

const QUIET_MS = 1_500;
const RESPONSE_TIMEOUT_MS = 30_000;
/** A status line, which follows the previous body without a line end. */
const ANSWER = /HTTP\/1\.1 (\d{3}) [A-Za-z -]+\r\n/g;

/** A hostile connection that sends any bytes, with or without reading. */
export class Attacker {
  /** Everything received so far. */
  received = '';
  /** The number of bytes that the kernel has accepted. */
  sentBytes = 0;
  private lastProgressMs = performance.now();
  private readonly socket: Socket;

  private constructor(
    readonly baseUrl: string,
    bytesPerSecond: number,
  ) {
    const { hostname, port } = new URL(baseUrl);
    this.socket = connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true });
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('end', () => this.socket.destroy());
    if (bytesPerSecond === 0) return;
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
      this.lastProgressMs = performance.now();
      if (bytesPerSecond === Infinity) return;
      this.socket.pause();
      setTimeout(() => this.socket.resume(), (text.length / bytesPerSecond) * 1_000);
    });
  }

  /** Resolves when the connection is open or refused. It reads at this rate; 0: never. */
  static async open(baseUrl: string, bytesPerSecond = Infinity): Promise<Attacker> {
    const attacker = new Attacker(baseUrl, bytesPerSecond);
    const { socket } = attacker;
    await Promise.race([once(socket, 'connect').catch(() => undefined), once(socket, 'close')]);
    return attacker;
  }

  static openMany(baseUrl: string, count: number, bytesPerSecond = Infinity): Promise<Attacker[]> {
    return atOnce(count, () => Attacker.open(baseUrl, bytesPerSecond));
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Whether it is closed or has neither sent nor received data for a while. */
  get isQuiet(): boolean {
    return this.isClosed || performance.now() - this.lastProgressMs > QUIET_MS;
  }

  /** The statuses of the responses so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(ANSWER)].map(([, status]) => Number(status));
  }

  /** The request ids of the responses so far. */
  get requestIds(): string[] {
    return [...this.received.matchAll(/^x-request-id: ([^\r]*)\r$/gim)].map(([, id]) => id!);
  }

  send(block: string): void {
    if (this.isClosed) return;
    this.socket.write(block, 'latin1', (error) => {
      if (error) return;
      this.sentBytes += block.length;
      this.lastProgressMs = performance.now();
    });
  }

  /** Ends the sending side and keeps reading. */
  endSending(): void {
    this.socket.end();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Resolves when that many responses have begun; rejects if the connection closes first or they are late. */
  async untilAnswers(count: number): Promise<void> {
    const begunMs = performance.now();
    await until(() => {
      const { length } = this.statuses;
      if (length >= count) return true;
      if (!this.isClosed && performance.now() - begunMs < RESPONSE_TIMEOUT_MS) return false;
      throw new Error(
        `${this.isClosed ? 'closed' : 'open'} after ${length} answers: ${this.received.slice(-500)}`,
      );
    });
  }
}

/** Resolves when no connection makes progress although the service answers. */
export async function untilQuiet(attackers: Attacker[]): Promise<void> {
  await until(async () => {
    if (!attackers.every(({ isQuiet }) => isQuiet)) return false;
    await isServing(attackers[0]!.baseUrl);
    return attackers.every(({ isQuiet }) => isQuiet);
  });
}

/** Whether the service answers a new connection. */
export async function isServing(baseUrl: string): Promise<boolean> {
  const probe = fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  return probe.then(
    ({ ok }) => ok,
    () => false,
  );
}

export function closeAll(attackers: Attacker[]): void {
  for (const attacker of attackers) attacker.close();
}

/** The head of a request, with an Authorization header if there is a key. */
export function head(target: string, key?: string, lines = '', method = 'GET'): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${authorization}${lines}\r\n`;
}
