import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll } from '@jest/globals';
import { DIST, serviceEnvironment } from './build.js';
import { start, temporaryFolder } from './clean-up.js';
import { runKeys, type CommandResult } from './command-line.js';
import type { DatabaseKind, Env, TestDatabase } from './databases.js';
import { call, type BytesAnswer, type Call } from './http/client.js';
import { issueKeys, type IssuedKey, type KeyOptions } from './keys.js';
import { until } from './until.js';

const STREAMS = ['stdout', 'stderr'] as const;
type LogLine = Record<string, unknown>;

/** A running service: its URL, environment and output, which goes to files, so that a busy test never blocks the service. */
export class RunningService {
  url = '';
  protected folder = '';
  /** What earlier test files have made a shared service print is left out. */
  private readonly startsAt = { stdout: 0, stderr: 0 };

  constructor(public env: Env = {}) {}

  get stdout(): string {
    return this.printed('stdout').toString();
  }

  get stderr(): string {
    return this.printed('stderr').toString();
  }

  /** The lines of the log so far. */
  get log(): LogLine[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** The lines of the log with this message. */
  logged(message: string): LogLine[] {
    return this.log.filter(({ msg }) => msg === message);
  }

  /** Finds the service of this worker of Jest for this kind of database; the first call starts it. */
  async find({ name }: DatabaseKind): Promise<void> {
    const socket = connect(process.env.TEST_SHARED_SERVICES!);
    socket.end(JSON.stringify({ kind: name, worker: process.env.JEST_WORKER_ID }));
    Object.assign(this, await json(socket));
    for (const stream of STREAMS) this.startsAt[stream] = this.printed(stream).length;
  }

  /** Calls the service, and checks the response against openapi.json. */
  call(options: Call): Promise<BytesAnswer> {
    return call(this.url, options);
  }

  /** Runs a `keys` command while the service runs. */
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

  private printed(stream: (typeof STREAMS)[number]): Buffer {
    return readFileSync(join(this.folder, stream)).subarray(this.startsAt[stream]);
  }
}

/** The built service in a separate process. */
export class Service extends RunningService {
  private static readonly started = new Set<Service>();

  hasEnded = false;
  private child!: ChildProcess;
  private closed!: Promise<number | null>;

  /** Starts the process; without `env`, `launch` does. `dist`: another build than the project's own. */
  constructor(env?: Env, dist = DIST, nodeFlags: string[] = []) {
    super(env);
    if (env) this.launch(env, dist, nodeFlags);
  }

  launch(env: Env, dist = DIST, nodeFlags: string[] = []): void {
    this.env = env;
    this.folder = temporaryFolder();
    const files = STREAMS.map((stream) => openSync(join(this.folder, stream), 'a'));
    this.child = start(process.execPath, [...nodeFlags, join(dist, 'main.js')], {
      env: serviceEnvironment(env),
      cwd: this.folder,
      stdio: ['ignore', ...files],
    });
    files.forEach(closeSync);
    Service.started.add(this);
    this.closed = once(this.child, 'close').then(([code]) => {
      this.hasEnded = true;
      Service.started.delete(this);
      return code as number | null;
    });
  }

  /** Starts a service and waits until it is ready. */
  static async start(env: Env, dist = DIST, nodeFlags: string[] = []): Promise<Service> {
    const service = new Service(env, dist, nodeFlags);
    await service.untilLogged('ready');
    return service;
  }

  /** Kills every service that is still running. */
  static async killAll(): Promise<void> {
    await Promise.all(Array.from(Service.started, (service) => service.stop('SIGKILL')));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with the first log line with this message; rejects if the process ends first. */
  untilLogged(message: string): Promise<LogLine> {
    return until(() => {
      const { hasEnded } = this;
      const [found] = this.logged(message);
      if (typeof found?.url === 'string') this.url = found.url;
      if (found || !hasEnded) return found;
      throw new Error(`the service ended before it logged "${message}":\n${this.stdout}\n${this.stderr}`);
    });
  }

  /** Resolves with the exit code. */
  ended(): Promise<number | null> {
    return this.closed;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.signal(signal);
    return this.closed;
  }
}

/** Resolves when each service is ready or has ended. True for those that are ready. */
export async function settled(services: Service[]): Promise<boolean[]> {
  const outcomes = await Promise.allSettled(services.map((service) => service.untilLogged('ready')));
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/**
 * A service with default settings, which is ready in hooks and tests. No other file uses it at the same time, but
 * earlier files have left rows in its database.
 */
export function sharedService(kind: DatabaseKind): RunningService {
  const service = new RunningService();
  beforeAll(() => service.find(kind));
  return service;
}

type Settings = Env | ((database: Env) => Env | Promise<Env>);
/** `database`: for sessions that do not use the service's own way to its database. */
type OwnService = Service & { database: TestDatabase };

/** A service with these settings on a database that only this test file uses. It is ready in hooks and tests. `dist`: makes another build. */
export function ownService(kind: DatabaseKind, settings: Settings = {}, dist = () => DIST): OwnService {
  const service = new Service() as OwnService;
  beforeAll(async () => {
    const { env } = (service.database = await kind.create());
    service.launch({ ...env, ...(typeof settings === 'function' ? await settings(env) : settings) }, dist());
    await service.untilLogged('ready');
  });
  return service;
}
