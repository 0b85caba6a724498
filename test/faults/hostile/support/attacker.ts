import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../../../support/until.js';

const QUIET_MS = 1_500;
const ANSWERED_WITHIN_MS = 30_000;
/** A status line, which follows the body before it without a line end. */
export const ANSWER = /HTTP\/1\.1 (\d{3}) [A-Za-z -]+\r\n/g;

/** One hostile connection: it sends any bytes, and reads or does not. */
export class Attacker {
  /** Everything that came back, where it reads. */
  received = '';
  /** Bytes that the service's side has taken. */
  sentBytes = 0;
  private lastProgressMs = performance.now();
  private readonly socket: Socket;

  private constructor(
    readonly baseUrl: string,
    isReading: boolean,
  ) {
    const { hostname, port } = new URL(baseUrl);
    this.socket = connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true });
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('end', () => this.socket.destroy());
    if (!isReading) return;
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
      this.lastProgressMs = performance.now();
    });
  }

  /** Resolves when the connection is open or refused. */
  static async open(baseUrl: string, isReading = true): Promise<Attacker> {
    const attacker = new Attacker(baseUrl, isReading);
    const { socket } = attacker;
    await Promise.race([once(socket, 'connect').catch(() => undefined), once(socket, 'close')]);
    return attacker;
  }

  static openMany(baseUrl: string, count: number, isReading = true): Promise<Attacker[]> {
    return Promise.all(Array.from({ length: count }, () => Attacker.open(baseUrl, isReading)));
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Has neither sent nor received anything for a while, or is closed. */
  get isQuiet(): boolean {
    return this.isClosed || performance.now() - this.lastProgressMs > QUIET_MS;
  }

  /** The statuses of the answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(ANSWER)].map(([, status]) => Number(status));
  }

  /** The request ids of the answers so far. */
  get requestIds(): string[] {
    return [...this.received.matchAll(/^x-request-id: ([^\r]*)\r$/gim)].map(([, id]) => id!);
  }

  /** Sends a block so many times, as fast as the other side takes it. */
  send(block: string | Buffer, times = 1): void {
    if (times === 0 || this.isClosed) return;
    this.socket.write(block, 'latin1', (error) => {
      if (error) return;
      this.sentBytes += block.length;
      this.lastProgressMs = performance.now();
      this.send(block, times - 1);
    });
  }

  /** Says that nothing more will come, and goes on reading. */
  endSending(): void {
    this.socket.end();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Resolves when that many answers have begun; rejects when the connection closes before, or they are late. */
  async untilAnswers(count: number): Promise<void> {
    const begunMs = performance.now();
    await until(() => {
      const { length } = this.statuses;
      if (length >= count) return true;
      if (!this.isClosed && performance.now() - begunMs < ANSWERED_WITHIN_MS) return false;
      throw new Error(
        `${this.isClosed ? 'closed' : 'open'} after ${length} answers: ${this.received.slice(-500)}`,
      );
    });
  }
}

/** Resolves when none of them makes progress any more, and the service is not merely too busy for them. */
export async function untilQuiet(attackers: Attacker[]): Promise<void> {
  await until(async () => {
    if (!attackers.every(({ isQuiet }) => isQuiet)) return false;
    await isServing(attackers[0]!.baseUrl);
    return attackers.every(({ isQuiet }) => isQuiet);
  });
}

/** Whether the service answers a new connection. */
export async function isServing(baseUrl: string): Promise<boolean> {
  const probe = fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
  return probe.then(
    ({ ok }) => ok,
    () => false,
  );
}

export function closeAll(attackers: Attacker[]): void {
  for (const attacker of attackers) attacker.close();
}

/** A request's head; `key` is left out for a stranger. */
export function head(target: string, key?: string, lines = '', method = 'GET'): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${authorization}${lines}\r\n`;
}
