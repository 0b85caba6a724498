import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, serviceEnvironment } from '../../../support/build.js';
import { atCleanUp } from '../../../support/clean-up.js';
import { isRunning, killProcess } from '../../../support/servers/kill-process.js';
import { NODE_FLAGS } from '../../../support/tools/node-flags.js';
import { until } from '../../../support/until.js';

const MAIN = join(DIST, 'main.js');
const HEAP_MB = 256;

/** The built service with a small heap. It logs to a file, so that a busy test never blocks it. */
export class AttackedService {
  url = '';
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-attacked-'));
  private readonly logFile = join(this.folder, 'log');
  private readonly child: ChildProcess;

  private constructor(env: Record<string, string>) {
    const log = openSync(this.logFile, 'a');
    this.child = spawn(process.execPath, [...NODE_FLAGS, `--max-old-space-size=${HEAP_MB}`, MAIN], {
      env: serviceEnvironment(env),
      cwd: this.folder,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
  }

  /** Resolves when the service is ready. */
  static async start(env: Record<string, string>): Promise<AttackedService> {
    const service = new AttackedService(env);
    atCleanUp(() => service.stop());
    service.url = await until(() => {
      if (!service.isAlive) throw new Error(`the service does not start:\n${service.log}`);
      return /"url":"([^"]+)".*"msg":"ready"/.exec(service.log)?.[1];
    });
    return service;
  }

  get isAlive(): boolean {
    return isRunning(this.child);
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** The peak memory since `resetPeak`; 0 after the process has ended. */
  get peakMb(): number {
    if (!this.isAlive) return 0;
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Makes the kernel measure the peak from this moment. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.child.pid}/clear_refs`, '5');
  }

  get descriptors(): number {
    return this.isAlive ? readdirSync(`/proc/${this.child.pid}/fd`).length : 0;
  }

  /** Limits the descriptors that the process opens to numbers below `count`. */
  limitDescriptors(count: number): void {
    execFileSync('prlimit', ['--pid', String(this.child.pid), `--nofile=${count}:`]);
  }

  async stop(): Promise<void> {
    await killProcess(this.child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
