import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { onServer, withDatabase } from '../database.js';
import { Backends, type BackendTimes } from './backends.js';
import { DIST } from '../support.js';
import { startProcess, type MeasuredProcess } from './measured-process.js';
import { fillShop, type Secrets } from './shop-data.js';

export const SYSTEMS = [
  'fastify-baseline',
  'nest-baseline',
  'node-limit',
  'nest-limit',
  'ours',
  'embedded',
  'embedded-baseline',
] as const;
export type SystemName = (typeof SYSTEMS)[number];
export interface System extends MeasuredProcess {
  name: SystemName;
  /** Undefined: the embedded database. */
  databaseUrl?: string;
  backendTimes(): Promise<BackendTimes>;
}

const PEERS = fileURLToPath(new URL('../.built/', import.meta.url));
const SERVICE = `${DIST}main.js`;
const SERVICE_ENV = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  SHUTDOWN_DELAY_MS: '0',
  // Without a key there is a warning.
  WEBHOOK_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  // Refusals are measured as 401. With a lower limit they would become 429.
  ANONYMOUS_PER_MINUTE: '2000000000',
};

type End = () => Promise<void> | void;

export interface Servers {
  serverUrl: string;
  redisUrl: string;
  /** Whether X-Forwarded-For identifies the callers. */
  isBehindProxy?: boolean;
}

/** Starts each system in its own process, with its own copy of the shop and its own key prefix in Redis. */
export async function withSystems<Result>(
  servers: Servers,
  names: readonly SystemName[],
  secrets: Secrets,
  measure: (systems: System[]) => Promise<Result>,
): Promise<Result> {
  return withDatabase(servers.serverUrl, async (templateUrl) => {
    await makeShop(templateUrl, secrets);
    const ends: End[] = [() => emptyRedis(servers.redisUrl)];
    try {
      const systems: System[] = [];
      for (const name of names) {
        const started =
          name === 'embedded' || name === 'embedded-baseline'
            ? await startEmbedded(name, secrets, ends)
            : await startOnServer(name, servers, templateUrl, ends);
        systems.push({ name, ...started });
      }
      return await measure(systems);
    } finally {
      for (const end of ends.reverse()) await end();
    }
  });
}

async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushdb();
  redis.disconnect();
}

/** The schema of the service, created by its migrations. */
async function makeShop(url: string, secrets: Secrets): Promise<void> {
  const service = await startProcess(SERVICE, { ...SERVICE_ENV, DATABASE_URL: url });
  await service.stop();
  await fillShop({ connectionString: url }, secrets);
  // Autovacuum would clean up after one system while another is measured.
  await onServer(url, 'alter table pets set (autovacuum_enabled = false)');
}

async function startOnServer(
  name: Exclude<SystemName, 'embedded' | 'embedded-baseline'>,
  { serverUrl, redisUrl, isBehindProxy }: Servers,
  templateUrl: string,
  ends: End[],
): Promise<Omit<System, 'name'>> {
  const template = new URL(templateUrl).pathname.slice(1);
  const url = new URL(serverUrl);
  url.pathname = `/${template}_${name}`;
  await onServer(serverUrl, `create database "${template}_${name}" template ${template}`);
  ends.push(() => onServer(serverUrl, `drop database "${template}_${name}" with (force)`));
  const script = name === 'ours' ? SERVICE : `${PEERS}${name}.js`;
  const proxy: Record<string, string> = isBehindProxy ? { TRUST_PROXY: '1' } : {};
  const env = { DATABASE_URL: url.href, REDIS_URL: redisUrl, ...proxy };
  const started = await startProcess(script, { ...SERVICE_ENV, ...env });
  ends.push(() => started.stop());
  const backends = await Backends.from(serverUrl, `${template}_${name}`);
  ends.push(() => backends.close());
  return { ...started, databaseUrl: url.href, backendTimes: () => backends.times() };
}

async function startEmbedded(
  name: 'embedded' | 'embedded-baseline',
  secrets: Secrets,
  ends: End[],
): Promise<Omit<System, 'name'>> {
  const home = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  ends.push(() => rmSync(home, { recursive: true }));
  const dataDir = join(home, 'data');
  let started = await startProcess(SERVICE, { ...SERVICE_ENV, DATA_DIR: dataDir });
  ends.push(() => started.stop());
  await fillShop({ host: dataDir, user: 'postgres', database: 'postgres' }, secrets);
  if (name === 'embedded-baseline') {
    await started.stop();
    started = await startProcess(`${PEERS}fastify-baseline.js`, { ...SERVICE_ENV, DATA_DIR: dataDir });
  }
  return { ...started, backendTimes: () => Promise.resolve(new Map()) };
}
