import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Env } from '../../../support/databases.js';
import { Service } from '../../../support/service.js';
import { NODE_FLAGS } from '../../../support/tools/node-flags.js';

const HEAP_MB = 256;

/** The built service as `npm start` runs it, with a smaller heap. */
export class AttackedService extends Service {
  constructor(env: Env) {
    const flags = [...NODE_FLAGS, `--max-old-space-size=${HEAP_MB}`, env.NODE_OPTIONS];
    super({ ...env, NODE_OPTIONS: flags.join(' ') });
  }

  /** The peak memory since `resetPeak`; 0 after the process has ended. */
  get peakMb(): number {
    if (this.hasEnded) return 0;
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Makes the kernel measure the peak from this moment. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  get descriptors(): number {
    return this.hasEnded ? 0 : readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Limits the descriptors that the process opens to numbers below `count`. */
  limitDescriptors(count: number): void {
    execFileSync('prlimit', ['--pid', String(this.pid), `--nofile=${count}:`]);
  }
}
