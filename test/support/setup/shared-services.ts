import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { databaseEnv } from './database-env.ts';
import { createSharedDatabase } from './templates.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const CLI = new URL('../../../dist/cli.js', import.meta.url).href;
const COMMAND_PROCESS = fileURLToPath(new URL('command-process.ts', import.meta.url));
const READY = /"url":"([^"]+)"[^\n]*"msg":"ready"/;
const SETTINGS = { PORT: '0', ANONYMOUS_PER_MINUTE: '1000000', NODE_ENV: 'production' };
const home = mkdtempSync(join(tmpdir(), 'animal-store-shared-'));
const children: ChildProcess[] = [];
interface Service {
  url: string;
  env: Record<string, string>;
  folder: string;
}

const services = new Map<string, Promise<Service>>();
// An interrupted run does not reach the teardown.
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/**
 * Starts the process in which tests run commands, and the server that gives each worker of Jest its service: one with default
 * settings for each worker and kind of database, started by the first request.
 */
export async function startServices(): Promise<void> {
  const [commands, broker] = [join(home, 'commands'), join(home, 'services')];
  await start('commands-output', [COMMAND_PROCESS, commands, CLI], {}, /listening/);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    json(socket)
      .then((asked) => {
        const { kind, worker } = asked as { kind: string; worker: string };
        return findService(kind, `${kind}-${worker}`);
      })
      .then((service) => socket.end(JSON.stringify(service)))
      .catch((error: unknown) => socket.destroy(error as Error))
      .catch(() => undefined);
    socket.on('error', (error) => process.stderr.write(`no shared service: ${error.message}\n`));
  });
  await once(server.listen(broker).unref(), 'listening');
  process.env.TEST_COMMAND_SOCKET = commands;
  process.env.TEST_SHARED_SERVICES = broker;
}

export async function stopServices(): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }),
  );
  rmSync(home, { recursive: true, force: true });
}

function findService(kind: string, name: string): Promise<Service> {
  const service = services.get(name) ?? startService(kind, name);
  services.set(name, service);
  return service;
}

async function startService(kind: string, name: string): Promise<Service> {
  const env =
    kind === 'embedded' ? { DATA_DIR: join(home, name, 'data') } : databaseEnv(await createSharedDatabase());
  const [, url = ''] = await start(name, [MAIN], { ...SETTINGS, ...env }, READY);
  return { url, env, folder: join(home, name) };
}

/** Starts a Node program that prints into files in a folder of this name. Resolves with the match of `pattern` in its output. */
async function start(
  name: string,
  program: string[],
  settings: Record<string, string>,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  const folder = join(home, name);
  mkdirSync(folder);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, program, {
    env: { PATH, HOME, ...settings },
    cwd: folder,
    stdio: ['ignore', ...['stdout', 'stderr'].map((stream) => openSync(join(folder, stream), 'a'))],
  });
  children.push(child);
  for (;;) {
    const found = pattern.exec(readFileSync(join(folder, 'stdout'), 'utf8'));
    if (found) return found;
    if (child.exitCode !== null)
      throw new Error(`a shared process ended:\n${readFileSync(join(folder, 'stderr'), 'utf8')}`);
    await pause(25);
  }
}
