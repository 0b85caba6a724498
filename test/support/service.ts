import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

type Env = Record<string, string>;

/** What a machine gives a process, without any setting of the service. */
function bareEnvironment(): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

/** The built service as a process of its own. */
export class Service {
  private static readonly running = new Set<Service>();

  stdout = '';
  stderr = '';
  url = '';
  exitCode: number | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-cwd-'));
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private hasEnded = false;

  /** `dist`: another build than the project's own. */
  constructor(
    private readonly env: Env,
    dist = DIST,
  ) {
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

  /** Every line of the log so far. */
  get log(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
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

  /** Runs a command of the command line beside the service. */
  keys(...args: string[]): Promise<CommandResult> {
    return runKeys(this.env, ...args);
  }

  /** A key with room for a whole test file. */
  async issueKey(...options: string[]): Promise<string> {
    return (await this.issue(...options)).key as string;
  }

  async issue(...options: string[]): Promise<Record<string, unknown>> {
    const roomy = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000000'];
    const plan = options.includes('--plan') ? [] : roomy;
    const result = await this.keys('create', '--name', 'test', ...plan, ...options, '--json');
    if (result.code !== 0) throw new Error(result.stderr);
    return JSON.parse(result.stdout) as Record<string, unknown>;
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

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `keys …` of the built command line. */
export function runKeys(env: Env, ...args: string[]): Promise<CommandResult> {
  return runCli(env, 'keys', ...args);
}

/** Runs a command of the built command line. */
export function runCli(env: Env, ...args: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...bareEnvironment(), ...env }, cwd: tmpdir() };
    execFile(process.execPath, [join(DIST, 'cli.js'), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** Runs a command and kills it, past any handler, when its stderr matches; resolves with the signal that ended it. */
export async function killCliAt(env: Env, sign: RegExp, ...args: string[]): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [join(DIST, 'cli.js'), ...args], {
    env: { ...bareEnvironment(), ...env },
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (sign.test(stderr)) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return signal;
}
