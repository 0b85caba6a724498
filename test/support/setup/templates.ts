import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase, dropDatabase, isCitus, joinWorkers } from './server-databases.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const DISTRIBUTE = fileURLToPath(new URL('../../../deploy/citus/distribute.sql', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'animal-store-templates-'));
const serverUrl = process.env.TEST_DATABASE_URL ?? '';
const suffix = randomBytes(6).toString('hex');
const databaseName = `animal_store_template_${suffix}`;
const shared: string[] = [];

/** Prepares one migrated, empty database of each kind that tests use. Tests copy it, which takes less time than migrating. */
export async function createTemplates(): Promise<void> {
  const isEmbeddedUsed = process.env.TEST_ONLY_SERVERS === undefined;
  await Promise.all([isEmbeddedUsed && createEmbedded(), serverUrl && createOnServer(serverUrl)]);
}

/** Creates a database for a shared service. Resolves with its URL. */
export async function createSharedDatabase(): Promise<string> {
  const name = `animal_store_shared_${suffix}_${shared.length}`;
  shared.push(name);
  await createDatabase(serverUrl, name, databaseName);
  return urlOf(name);
}

export async function dropTemplates(): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  if (!serverUrl) return;
  for (const name of [databaseName, ...shared]) await dropDatabase(serverUrl, name);
}

async function createEmbedded(): Promise<void> {
  const dataDir = join(home, 'data');
  await startOnce({ DATA_DIR: dataDir });
  process.env.TEST_TEMPLATE_DATA_DIR = dataDir;
}

async function createOnServer(url: string): Promise<void> {
  await createDatabase(url, databaseName);
  if (isCitus) await joinWorkers(urlOf(databaseName));
  await startOnce({ DATABASE_URL: urlOf(databaseName) });
  process.env.TEST_TEMPLATE_DATABASE = databaseName;
}

function urlOf(name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Starts the service, which creates and migrates its database, until it is ready. */
async function startOnce(env: Record<string, string>): Promise<void> {
  const { PATH, HOME } = process.env;
  // In production it issues no demo key.
  const settings = { PATH, HOME, PORT: '0', NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0', ...env };
  const service = spawn(process.execPath, [MAIN], {
    env: settings,
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // When another template fails, Jest ends meanwhile.
  const kill = () => service.kill('SIGKILL');
  process.once('exit', kill);
  let log = '';
  service.stdout.on('data', (text: Buffer) => {
    log += String(text);
    if (log.includes('"msg":"ready"')) service.kill();
  });
  const [code] = (await once(service, 'close')) as [number | null];
  process.off('exit', kill);
  if (code !== 0) throw new Error(`the template cannot be made:\n${log}`);
  if (isCitus && env.DATABASE_URL)
    await promisify(execFile)('psql', [env.DATABASE_URL, '--quiet', '-f', DISTRIBUTE]);
}
