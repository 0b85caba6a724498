import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../test/support/tools/node-flags.js';
import { residentMb } from '../test/support/tools/resident-mb.js';

/** The line that says it is ready is among the last ones of a start. */
const MAX_LOG_CHARACTERS = 10_000;

export const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** The built service, started for a measurement. */
export interface MeasuredService {
  url: string;
  /** From the start of the process until it logs that it is ready. */
  readyMs: number;
  residentMb(): number;
  stop(): Promise<void>;
}

/** Starts the built service and waits until it logs that it is ready. */
export async function startService(env: Record<string, string>): Promise<MeasuredService> {
  const begin = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, `${DIST}main.js`], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', SHUTDOWN_DELAY_MS: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // From the log, because repeated requests would slow down the measured start.
  const url = await readyUrl(child);
  const readyMs = performance.now() - begin;
  return {
    url,
    readyMs,
    residentMb: () => residentMb(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** The output is read until the end: the service waits while the pipe is full. */
function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      log = (log + String(chunk)).slice(-MAX_LOG_CHARACTERS);
      const url = /"url":"([^"]+)","database":"\w+","msg":"ready"/.exec(log)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the service ended:\n${log}`)));
  });
}

/** A key with limits that no measurement reaches. */
export function issueKey(env: Record<string, string>): string {
  const options = ['--plan', 'enterprise', '--per-minute', '2000000000', '--per-day', '2000000000', '--json'];
  const output = execFileSync(
    process.execPath,
    [`${DIST}cli.js`, 'keys', 'create', '--name', 'bench', ...options],
    {
      env: { PATH: process.env.PATH ?? '', ...env },
      encoding: 'utf8',
    },
  );
  return (JSON.parse(output) as { key: string }).key;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request on a kept connection. Returns its status and the time until the end of the response. */
export function timedGet(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; ms: number }> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, ms: performance.now() - begin });
      });
    })
      .on('error', reject)
      .end();
  });
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
