import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../../support/tools/node-flags.js';
import { until } from '../../../support/until.js';

const MAIN = fileURLToPath(new URL('../../../../dist/main.js', import.meta.url));
const HEAP_MB = 256;
const TICK_MS = 10;

/** The built service with a small heap. Its log goes to a file, so that a busy test never holds it up. */
export class AttackedService {
  url = '';
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-attacked-'));
  private readonly logFile = join(this.folder, 'log');
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  private constructor(env: Record<string, string>) {
    const { PATH = '', HOME = '' } = process.env;
    const log = openSync(this.logFile, 'a');
    this.child = spawn(process.execPath, [...NODE_FLAGS, `--max-old-space-size=${HEAP_MB}`, MAIN], {
      env: { PATH, HOME, PORT: '0', SHUTDOWN_DELAY_MS: '0', ANONYMOUS_PER_MINUTE: '1000000', ...env },
      cwd: this.folder,
      stdio: ['ignore', log, log],
    });
    this.ended = once(this.child, 'exit');
    closeSync(log);
  }

  /** Resolves when the service is ready. */
  static async start(env: Record<string, string>): Promise<AttackedService> {
    const service = new AttackedService(env);
    service.url = await until(() => {
      if (!service.isAlive) throw new Error(`the service does not start:\n${service.log}`);
      return /"url":"([^"]+)".*"msg":"ready"/.exec(service.log)?.[1];
    });
    return service;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  get residentMb(): number {
    return this.memoryMb('VmRSS');
  }

  /** The most memory since `forgetPeak`. */
  get peakMb(): number {
    return this.memoryMb('VmHWM');
  }

  /** Processor time so far, which the load of the machine does not change; 0 for a process that is gone. */
  get processorMs(): number {
    if (!this.isAlive) return 0;
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  /** Makes the kernel measure the peak from now on. */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.child.pid}/clear_refs`, '5');
  }

  get descriptors(): number {
    return this.isAlive ? readdirSync(`/proc/${this.child.pid}/fd`).length : 0;
  }

  /** From now on the process opens nothing whose number is not below `count`. */
  limitDescriptors(count: number): void {
    execFileSync('prlimit', ['--pid', String(this.child.pid), `--nofile=${count}:`]);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** 0 for a process that is gone. */
  private memoryMb(line: 'VmRSS' | 'VmHWM'): number {
    if (!this.isAlive) return 0;
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  }
}
