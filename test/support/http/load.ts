import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The outcome of one request. Status 0: the connection ended without a response. */
export interface Sample {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

export interface Load {
  path: string;
  key?: string | undefined;
  /** Each connection sends its next request as soon as it has the response to the last. */
  connections: number;
  forMs: number;
}

const HANGING_MS = 10_000;
const HEAD_END = '\r\n\r\n';

/**
 * Puts load on a service over TCP connections, because Node's HTTP client uses more CPU than the service. The load
 * begins when every connection has been accepted.
 */
export async function putLoad(baseUrl: string, load: Load): Promise<Sample[]> {
  const callers = Array.from({ length: load.connections }, () => new Caller(baseUrl, load));
  await Promise.all(callers.map((caller) => caller.untilAccepted()));
  const endMs = performance.now() + load.forMs;
  await Promise.all(callers.map((caller) => caller.run(endMs)));
  return callers.flatMap(({ samples }) => samples);
}

class Caller {
  readonly samples: Sample[] = [];
  private readonly socket: Socket;
  private readonly host: string;
  private readonly request: string;
  private head = '';
  /** The number of missing bytes of the body; undefined while the head is incomplete. */
  private missing: number | undefined;
  private sentAtMs = 0;
  private answered: (status: number, retryAfter?: string) => void = () => undefined;

  constructor(baseUrl: string, { path, key }: Load) {
    const { hostname, port, host } = new URL(baseUrl);
    const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
    this.host = host;
    this.request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\n`;
    this.socket = connect({ port: Number(port), host: hostname, noDelay: true }).setEncoding('latin1');
    this.socket.on('data', (text: string) => this.receive(text));
    this.socket.on('error', () => this.socket.destroy());
  }

  /** Resolves when the service has accepted the connection and answered a health check. */
  async untilAccepted(): Promise<void> {
    const answer = new Promise<number>((resolve) => (this.answered = resolve));
    this.socket.write(`GET /health/live HTTP/1.1\r\nHost: ${this.host}\r\n\r\n`);
    await Promise.race([answer, once(this.socket, 'close')]);
  }

  /** Resolves after the end of the load and the last response. */
  run(endMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.socket.setTimeout(HANGING_MS, () => this.socket.destroy());
      this.socket.once('close', () => {
        if (this.sentAtMs !== Infinity) this.record(0);
        resolve();
      });
      this.answered = (status, retryAfter) => {
        this.record(status, retryAfter);
        this.send(endMs);
      };
      this.send(endMs);
    });
  }

  private send(endMs: number): void {
    if (performance.now() >= endMs) {
      this.sentAtMs = Infinity;
      this.socket.destroy();
      return;
    }
    this.sentAtMs = performance.now();
    this.socket.write(this.request);
  }

  private receive(text: string): void {
    if (this.missing === undefined) {
      this.head += text;
      const headEnd = this.head.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.head)?.[1] ?? 0);
      this.missing = headEnd + HEAD_END.length + length - this.head.length;
    } else {
      this.missing -= text.length;
    }
    if (this.missing > 0) return;
    const { head } = this;
    this.head = '';
    this.missing = undefined;
    this.answered(Number(head.slice(9, 12)), /\r\nretry-after: *(\S+)/i.exec(head)?.[1]);
  }

  private record(status: number, retryAfter?: string): void {
    this.samples.push({ status, ms: performance.now() - this.sentAtMs, retryAfter });
  }
}

/** A percentile of the response times, in whole milliseconds. */
export function percentileMs(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

/** The number of responses of each status. */
export function statusesOf(samples: readonly { status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of samples) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
