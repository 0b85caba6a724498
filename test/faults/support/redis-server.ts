import type { ChildProcess } from 'node:child_process';
import { Redis } from 'ioredis';
import { isRunning, killProcess, start, temporaryFolder } from '../../support/clean-up.js';
import { freePort } from '../../support/servers/free-port.js';

/** A Redis server of one test, which the test can kill and freeze. */
export class RedisServer {
  private child!: ChildProcess;

  private constructor(
    readonly port: number,
    private readonly env: Record<string, string>,
    private readonly options: string[],
  ) {}

  /** `env` is added to the environment of the test. `options` are options of the command line. */
  static async start(env: Record<string, string> = {}, options: string[] = []): Promise<RedisServer> {
    const store = ['--save', '', '--appendonly', 'no', '--dir', temporaryFolder()];
    const server = new RedisServer(await freePort(), env, [...store, ...options]);
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts an empty server on the same port. */
  async startAgain(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', ...this.options];
    this.child = start('redis-server', options, { env: { ...process.env, ...this.env } });
    await this.send('PING');
  }

  /** Whether the server has not been killed. */
  get isRunning(): boolean {
    return isRunning(this.child);
  }

  /** Sends one command, and retries until the server accepts it. */
  send<Answer>(command: string, ...values: string[]): Promise<Answer> {
    return sendTo(this.port, command, ...values);
  }

  async flush(): Promise<void> {
    await this.send('FLUSHALL');
    await this.send('SCRIPT', 'FLUSH');
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  kill(): Promise<void> {
    return killProcess(this.child);
  }
}

/** Sends one command to the Redis server or sentinel on this port, and retries until it is accepted. */
export async function sendTo<Answer>(port: number, command: string, ...values: string[]): Promise<Answer> {
  const client = new Redis(port, { retryStrategy: () => 25, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  try {
    return (await client.call(command, ...values)) as Answer;
  } finally {
    client.disconnect();
  }
}
