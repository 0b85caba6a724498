import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { DIST, serviceEnvironment } from './build.js';
import { endAll } from './clean-up.js';
import { runKeys, type CommandResult } from './command-line.js';
import { dropDatabases, type DatabaseKind, type Env, type TestDatabase } from './databases.js';
import { issueKeys, type IssuedKey, type KeyOptions } from './keys.js';
import { until } from './until.js';

const STREAMS = ['stdout', 'stderr'] as const;
type Stream = (typeof STREAMS)[number];

/** A running service: its URL, environment and output, which goes to files, so that a busy test never blocks the service. */
export abstract class RunningService {
  url = '';
  protected folder = '';

  constructor(public env: Env) {}

  get stdout(): string {
    return this.printed('stdout').toString();
  }

  get stderr(): string {
    return this.printed('stderr').toString();
  }

  /** The lines of the log so far. */
  get log(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
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

  protected printed(stream: Stream): Buffer {
    return readFileSync(join(this.folder, stream));
  }
}

/** The built service in a separate process. */
export class Service extends RunningService {
  private static readonly running = new Set<Service>();

  exitCode: number | null = null;
  private child!: ChildProcess;
  private closed!: Promise<unknown>;
  /** Its whole output after its end. */
  private output: Record<Stream, Buffer> | undefined;

  /** Starts the process; without `env`, `launch` does. `dist`: another build than the project's own. */
  constructor(env?: Env, dist = DIST) {
    super(env ?? {});
    if (env) this.launch(env, dist);
  }

  protected launch(env: Env, dist = DIST): void {
    this.env = env;
    this.folder = mkdtempSync(join(tmpdir(), 'animal-store-cwd-'));
    const files = STREAMS.map((stream) => openSync(join(this.folder, stream), 'a'));
    this.child = spawn(process.execPath, [join(dist, 'main.js')], {
      env: serviceEnvironment(env),
      cwd: this.folder,
      stdio: ['ignore', ...files],
    });
    files.forEach(closeSync);
    Service.running.add(this);
    this.closed = once(this.child, 'close').then(([code]) => {
      this.exitCode = code as number | null;
      this.output = { stdout: this.printed('stdout'), stderr: this.printed('stderr') };
      Service.running.delete(this);
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  protected override printed(stream: Stream): Buffer {
    return this.output?.[stream] ?? super.printed(stream);
  }

  /** Starts a service and waits until it is ready. */
  static async start(env: Env, dist = DIST): Promise<Service> {
    const service = new Service(env, dist);
    await service.untilLogged('ready');
    return service;
  }

  /** Kills every service that is still running. */
  static async killAll(): Promise<void> {
    await Promise.all([...Service.running].map((service) => service.stop('SIGKILL')));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.output !== undefined;
  }

  /** Resolves with the first log line with this message; rejects if the process ends first. */
  untilLogged(message: string): Promise<Record<string, unknown>> {
    return until(() => {
      const { hasEnded } = this;
      const found = this.log.find(({ msg }) => msg === message);
      if (typeof found?.url === 'string') this.url = found.url;
      if (found || !hasEnded) return found;
      throw new Error(`the service ended before it logged "${message}":\n${this.stdout}\n${this.stderr}`);
    });
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

/** Resolves when each service is ready or has ended. True for those that are ready. */
export async function settled(services: Service[]): Promise<boolean[]> {
  const outcomes = await Promise.allSettled(services.map((service) => service.untilLogged('ready')));
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/** A service with default settings that several test files use one after another. Its log starts with the current file. */
class SharedService extends RunningService {
  private readonly startsAt = { stdout: 0, stderr: 0 };

  constructor() {
    super({});
  }

  /** Finds the service of this worker of Jest for this kind of database; the first call starts it. */
  async find({ name }: DatabaseKind): Promise<void> {
    const socket = connect(process.env.TEST_SHARED_SERVICES!);
    socket.end(JSON.stringify({ kind: name, worker: process.env.JEST_WORKER_ID }));
    Object.assign(this, await json(socket));
    for (const stream of STREAMS) this.startsAt[stream] = this.printed(stream).length;
  }

  protected override printed(stream: Stream): Buffer {
    return super.printed(stream).subarray(this.startsAt[stream]);
  }
}

/**
 * A service with default settings, which is ready in hooks and tests. No other file uses it at the same time, but
 * earlier files have left rows in its database.
 */
export function sharedService(kind: DatabaseKind): RunningService {
  const service = new SharedService();
  beforeAll(() => service.find(kind));
  return service;
}

/** A service on a database that only this test file uses. */
class OwnService extends Service {
  /** For sessions that do not use the service's own way to its database. */
  database!: TestDatabase;

  async begin(kind: DatabaseKind, settings: Settings): Promise<void> {
    this.database = await kind.create();
    const { env } = this.database;
    this.launch({ ...env, ...(typeof settings === 'function' ? await settings(env) : settings) });
    await this.untilLogged('ready');
  }
}

type Settings = Env | ((database: Env) => Env | Promise<Env>);

/** A service of this test file with these settings, which is ready in hooks and tests. */
export function ownService(kind: DatabaseKind, settings: Settings = {}): OwnService {
  const service = new OwnService();
  beforeAll(() => service.begin(kind, settings));
  afterAll(cleanUp);
  return service;
}

/**
 * Kills the services, ends what is registered by `atCleanUp`, and drops the databases of this test file. An `afterAll` that also
 * works if `beforeAll` has failed.
 */
export async function cleanUp(): Promise<void> {
  await Service.killAll();
  await endAll();
  await dropDatabases();
}
