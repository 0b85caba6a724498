import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { atCleanUp } from '../../support/clean-up.js';
import { freePort } from '../../support/servers/free-port.js';
import { isRunning, killProcess } from '../../support/servers/kill-process.js';

/** A Redis server of one test, which the test can kill and freeze. */
export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-redis-'));
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly env: Record<string, string>,
    private readonly options: string[],
  ) {}

  /** `env` is added to the environment of the test. `options` are options of the command line. */
  static async start(env: Record<string, string> = {}, options: string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), env, options);
    atCleanUp(async () => {
      await server.kill();
      rmSync(server.folder, { recursive: true, force: true });
    });
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts an empty server on the same port. */
  async startAgain(): Promise<void> {
    const store = ['--save', '', '--appendonly', 'no', '--dir', this.folder, ...this.options];
    this.child = spawn('redis-server', ['--port', String(this.port), '--bind', '127.0.0.1', ...store], {
      env: { ...process.env, ...this.env },
      stdio: 'ignore',
    });
    const client = new Redis(this.url, { retryStrategy: () => 25, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    await client.ping();
    client.disconnect();
  }

  /** Whether the server has been started and not killed. */
  get isRunning(): boolean {
    return this.child !== undefined && isRunning(this.child);
  }

  async flush(): Promise<void> {
    const client = new Redis(this.url);
    await client.flushall();
    await client.script('FLUSH');
    client.disconnect();
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.child) await killProcess(this.child);
  }
}
