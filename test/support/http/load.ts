import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** One request of a load, as its caller saw it. `status` 0: the connection ended without an answer. */
export interface Sample {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

export interface Load {
  path: string;
  key?: string | undefined;
  /** Each sends its next request as soon as it has the answer to the last. */
  connections: number;
  forMs: number;
}

export interface LoadResult {
  samples: Sample[];
  /** How many waited over 10 s for an answer. */
  hanging: number;
}

const HANGING_MS = 10_000;
const HEAD_END = '\r\n\r\n';

/**
 * Puts load on a service over bare connections, for Node's own client costs more than the service does. The load
 * begins when every connection has been accepted.
 */
export async function putLoad(baseUrl: string, load: Load): Promise<LoadResult> {
  const callers = Array.from({ length: load.connections }, () => new Caller(baseUrl, load));
  await Promise.all(callers.map((caller) => caller.arrive()));
  const endMs = performance.now() + load.forMs;
  const hanging = await Promise.all(callers.map((caller) => caller.run(endMs)));
  return {
    samples: callers.flatMap(({ samples }) => samples),
    hanging: hanging.filter(Boolean).length,
  };
}

const OWN_PATH = fileURLToPath(import.meta.url);

/** The same from a process of its own: one that is busy with the load would not read the service's log, and hold it up. */
export async function putLoadFromOutside(baseUrl: string, load: Load): Promise<LoadResult> {
  const child = fork(OWN_PATH, [JSON.stringify([baseUrl, load])]);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
}

class Caller {
  readonly samples: Sample[] = [];
  private readonly socket: Socket;
  private readonly host: string;
  private readonly request: string;
  private received = '';
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

  /** Resolves when the service has taken the connection: it has answered something that costs nothing. */
  async arrive(): Promise<void> {
    const answer = new Promise<number>((resolve) => (this.answered = resolve));
    this.socket.write(`GET /health/live HTTP/1.1\r\nHost: ${this.host}\r\n\r\n`);
    await Promise.race([answer, once(this.socket, 'close')]);
  }

  /** Resolves when the load is over and the last answer has come: whether it did not. */
  run(endMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const isHanging = () => performance.now() - this.sentAtMs > HANGING_MS;
      const timer = setInterval(() => {
        if (isHanging()) this.socket.destroy();
      }, 250);
      this.socket.once('close', () => {
        clearInterval(timer);
        if (this.sentAtMs !== Infinity && !isHanging()) this.note(0);
        resolve(isHanging());
      });
      this.answered = (status, retryAfter) => {
        this.note(status, retryAfter);
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
    this.received += text;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.received.slice(0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.received.length < headEnd + HEAD_END.length + length) return;
    this.received = '';
    this.answered(Number(head.slice(9, 12)), /\r\nretry-after: *(\S+)/i.exec(head)?.[1]);
  }

  private note(status: number, retryAfter?: string): void {
    this.samples.push({ status, ms: performance.now() - this.sentAtMs, retryAfter });
  }
}

/** The time that this share of the samples took at most, in whole milliseconds. */
export function percentileMs(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

/** How many answers there were of each status. */
export function statusesOf(samples: readonly Sample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of samples) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// As that process: Node runs this file as it is.
if (process.argv[1] === OWN_PATH) {
  const result = await putLoad(...(JSON.parse(process.argv[2] ?? '') as [string, Load]));
  process.send?.(result, () => process.exit());
}
