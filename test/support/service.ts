import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll } from '@jest/globals';
import { bareEnvironment, DIST } from './build.js';
import { runKeys, type CommandResult } from './command-line.js';
import { dropDatabases, type DatabaseKind, type Env } from './databases.js';
import { issueKeys, type IssuedKey, type KeyOptions } from './keys.js';

/** A service that tests call: where it is, what its database is, and what it has printed. */
export abstract class RunningService {
  url = '';
  abstract readonly stdout: string;
  abstract readonly stderr: string;

  constructor(public env: Env) {}

  /** Every line of the log so far. */
  get log(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Runs a `keys` command beside the service. */
  keys(...args: string[]): Promise<CommandResult> {
    return runKeys(this.env, ...args);
  }

  async issue(options?: KeyOptions): Promise<IssuedKey> {
    const [issued] = await issueKeys(this, 1, options);
    return issued!;
  }

  async issueKey(options?: KeyOptions): Promise<string> {
    return (await this.issue(options)).key;
  }
}

/** The built service as a process of its own. */
export class Service extends RunningService {
  private static readonly running = new Set<Service>();

  stdout = '';
  stderr = '';
  exitCode: number | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-cwd-'));
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private hasEnded = false;

  /** `dist`: another build than the project's own. */
  constructor(env: Env, dist = DIST) {
    super(env);
    this.child = spawn(process.execPath, [join(dist, 'main.js')], {
      env: {
        ...bareEnvironment(),
        PORT: '0',
        SHUTDOWN_DELAY_MS: '0',
        ANONYMOUS_PER_MINUTE: '1000000',
        ...env,
      },
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    Service.running.add(this);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.closed = once(this.child, 'close').then(([code]) => {
      this.exitCode = code as number | null;
      this.hasEnded = true;
      Service.running.delete(this);
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Starts a service and waits until it is ready. */
  static async start(env: Env, dist = DIST): Promise<Service> {
    const service = new Service(env, dist);
    await service.untilLogged('ready');
    return service;
  }

  /** Ends what a test has left behind, without asking. */
  static async killAll(): Promise<void> {
    await Promise.all([...Service.running].map((service) => service.stop('SIGKILL')));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with the first log line with this message; rejects when the process ends before. */
  async untilLogged(message: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.log.find(({ msg }) => msg === message);
      if (found) {
        if (typeof found.url === 'string') this.url = found.url;
        return found;
      }
      if (this.hasEnded) {
        throw new Error(`the service ended before it logged "${message}":\n${this.stdout}\n${this.stderr}`);
      }
      await Promise.race([once(this.child.stdout as NodeJS.ReadableStream, 'data'), this.closed]);
    }
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }
}

/** Resolves when every service has either become ready or ended: which of them are ready. */
export function settled(services: Service[]): Promise<boolean[]> {
  return Promise.all(
    services.map((service) =>
      service.untilLogged('ready').then(
        () => true,
        () => false,
      ),
    ),
  );
}

/** A service with default settings that several test files use one after the other. Its log begins with this file. */
class SharedService extends RunningService {
  private folder = '';
  private readonly startsAt = { stdout: 0, stderr: 0 };

  constructor() {
    super({});
  }

  get stdout(): string {
    return this.printed('stdout').toString();
  }

  get stderr(): string {
    return this.printed('stderr').toString();
  }

  /** Finds the service of this kind of database that belongs to this worker of Jest; the first call starts it. */
  async find({ name }: DatabaseKind): Promise<void> {
    const socket = connect(process.env.TEST_SHARED_SERVICES!);
    socket.end(JSON.stringify({ kind: name, worker: process.env.JEST_WORKER_ID }));
    Object.assign(this, await json(socket));
    for (const stream of ['stdout', 'stderr'] as const) this.startsAt[stream] = this.printed(stream).length;
  }

  private printed(stream: 'stdout' | 'stderr'): Buffer {
    return readFileSync(join(this.folder, stream)).subarray(this.startsAt[stream]);
  }
}

/**
 * A service with default settings, which is ready in the hooks and the tests. No other file uses it at the same time, but
 * files before this one have left rows behind.
 */
export function sharedService(kind: DatabaseKind): RunningService {
  const service = new SharedService();
  beforeAll(() => service.find(kind));
  return service;
}

/** Kills the services and drops the databases of this test file: its `afterAll`, also where `beforeAll` has failed. */
export async function cleanUp(): Promise<void> {
  await Service.killAll();
  await dropDatabases();
}
