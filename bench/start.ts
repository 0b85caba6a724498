import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDatabase } from './database.js';
import type { Row } from './report.js';
import { median, startService } from './support.js';

const ROUNDS = 5;
/** Long enough to collect the garbage of the start. */
const IDLE_MS = 5_000;

/** The time until ready and the idle memory, on both databases. */
export async function measureStart(serverUrl: string): Promise<Row[]> {
  const postgres = await withDatabase(serverUrl, (url) => rounds({ DATABASE_URL: url }));
  const firsts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) firsts.push(await firstStartMs());
  const home = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  const embedded = await rounds({ DATA_DIR: join(home, 'data') });
  rmSync(home, { recursive: true });
  return [
    { what: 'start to ready, PostgreSQL', measured: seconds(postgres.startMs), target: '< 1.5 s' },
    { what: 'resident memory idle, PostgreSQL', measured: megabytes(postgres.idleMb), target: '< 160 MB' },
    { what: 'first start to ready, embedded', measured: seconds(median(firsts)), target: '< 3 s' },
    { what: 'next start to ready, embedded', measured: seconds(embedded.startMs), target: '< 1.5 s' },
    { what: 'resident memory idle, embedded', measured: megabytes(embedded.idleMb), target: '< 320 MB' },
  ];
}

/** Medians over several starts on an existing database. */
async function rounds(env: Record<string, string>): Promise<{ startMs: number; idleMb: number }> {
  const starts: number[] = [];
  const idles: number[] = [];
  await (await startService(env)).stop();
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(env);
    starts.push(service.readyMs);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    idles.push(service.residentMb());
    await service.stop();
  }
  return { startMs: median(starts), idleMb: median(idles) };
}

async function firstStartMs(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  const service = await startService({ DATA_DIR: join(home, 'data'), NODE_ENV: 'production' });
  await service.stop();
  rmSync(home, { recursive: true });
  return service.readyMs;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const megabytes = (mb: number) => `${mb.toFixed(0)} MB`;
