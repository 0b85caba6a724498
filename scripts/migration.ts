import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'src/platform/database/migrations';

/*
 * Compares the entities with the migrations, on an embedded database of its own:
 *
 *   npm run migration:check              fails when a migration is missing, and prints it
 *   npm run migration:generate -- NAME   writes it, as in `add-breed-to-pets`
 */
const [mode, name = 'missing-change'] = process.argv.slice(2);
if ((mode !== 'check' && mode !== 'generate') || !/^[a-z][a-z0-9-]*$/.test(name)) {
  console.error('usage: npm run migration:check, or npm run migration:generate -- verb-noun');
  process.exit(2);
}

// The embedded database runs in a worker thread, which needs compiled code.
const { openEmbeddedDatabase } = (await import(
  new URL('../dist/platform/database/start/embedded-database.js', import.meta.url).href
)) as typeof import('../src/platform/database/start/embedded-database.js');
const { migrate } = (await import(
  new URL('../dist/platform/database/start/migrate.js', import.meta.url).href
)) as typeof import('../src/platform/database/start/migrate.js');

const home = mkdtempSync(join(tmpdir(), 'animal-store-migration-'));
const dataDir = join(home, 'data');
const embedded = await openEmbeddedDatabase(dataDir);
try {
  await migrate({ dataDir, poolSize: 1 });
  process.exitCode = await runTypeOrm();
  // TypeORM prints SQL in one long line and its own quotes.
  if (mode === 'generate' && process.exitCode === 0)
    await run('prettier', ['--write', `${FOLDER}/*-${name}.ts`]);
} finally {
  await embedded.close();
  rmSync(home, { recursive: true, force: true });
}

/** TypeORM's own command compares the entities with the database that the migrations have just built. */
function runTypeOrm(): Promise<number> {
  const target = `${FOLDER}/${name}`;
  const options = [
    '-d',
    'scripts/migration-data-source.ts',
    '--pretty',
    ...(mode === 'check' ? ['--check'] : []),
  ];
  return run('tsx', ['node_modules/typeorm/cli.js', 'migration:generate', target, ...options]);
}

function run(command: string, options: string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const env = { ...process.env, MIGRATION_DATA_DIR: dataDir };
  const child = spawn(command, options, { env, stdio: 'inherit' });
  child.on('close', (code) => resolve(code ?? 1));
  return promise;
}
