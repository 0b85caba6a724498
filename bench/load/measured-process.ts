import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/servers/free-port.js';
import { NODE_FLAGS } from '../../test/support/tools/node-flags.js';
import { residentMb } from '../../test/support/tools/resident-mb.js';

const GC_WATCH = fileURLToPath(new URL('../.built/gc-watch.js', import.meta.url));
const READY_MS = 60_000;
const TICKS_A_SECOND = 100;
const NEW_LINE = 10;

/** The processor time of a process since its start, and its current memory. */
interface Usage {
  cpuMs: number;
  gcMs: number;
  residentMb: number;
  /** The number of lines on its standard output. At level warn, each is a problem. */
  logLines: number;
}

/** A system under load, in a separate process. */
export interface MeasuredProcess {
  port: number;
  pid: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts a script with a free port and waits until it answers there. */
export async function startProcess(script: string, env: Record<string, string>): Promise<MeasuredProcess> {
  const port = await freePort();
  const child = fork(script, {
    execArgv: [...NODE_FLAGS, '--import', GC_WATCH],
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let logLines = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    logLines += chunk.filter((byte) => byte === NEW_LINE).length;
    process.stderr.write(chunk);
  });
  await untilReady(child, port);
  const pid = child.pid!;
  return {
    port,
    pid,
    usage: async () => ({
      cpuMs: cpuMs(pid),
      gcMs: await gcMs(child),
      residentMb: residentMb(pid),
      logLines,
    }),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** The peers do not have this path, so that any response but a 5xx counts as ready. */
async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer && answer.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} did not become ready`);
}

async function gcMs(child: ChildProcess): Promise<number> {
  child.send('gc?');
  const [{ collectedMs }] = (await once(child, 'message')) as [{ collectedMs: number }];
  return collectedMs;
}

/** User and system time of all threads of a process, as reported by the kernel. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the command, in brackets, may include spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND) * 1000;
}
