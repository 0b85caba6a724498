import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Holds the entities against the migrations, on an embedded database made for the purpose:
 *
 *   npm run migration:check              fails when a migration is missing, and prints it
 *   npm run migration:generate -- NAME   writes it, as in `add-breed-to-pets`
 */
const [mode, name = 'missing-change'] = process.argv.slice(2);
if ((mode !== 'check' && mode !== 'generate') || !/^[a-z][a-z0-9-]*$/.test(name)) {
  console.error('usage: npm run migration:check, or npm run migration:generate -- verb-noun');
  process.exit(2);
}

// The embedded database runs a worker, which needs compiled code.
const { startEmbeddedDatabase } = (await import(
  new URL('../dist/database/embedded/embedded-database.js', import.meta.url).href
)) as typeof import('../src/database/embedded/embedded-database.js');
const { migrate } = (await import(
  new URL('../dist/database/migrate.js', import.meta.url).href
)) as typeof import('../src/database/migrate.js');

const home = mkdtempSync(join(tmpdir(), 'animal-store-migration-'));
const dataDir = join(home, 'data');
const embedded = await startEmbeddedDatabase(dataDir);
try {
  await migrate({ dataDir, poolSize: 1 });
  process.exitCode = await runTypeOrm();
} finally {
  await embedded.close();
  rmSync(home, { recursive: true, force: true });
}

/** TypeORM's own command compares the entities with the database, which now is what the migrations make it. */
function runTypeOrm(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const target = `src/database/migrations/${name}`;
  const options = [
    '-d',
    'scripts/migration-data-source.ts',
    '--pretty',
    ...(mode === 'check' ? ['--check'] : []),
  ];
  const child = spawn('tsx', ['node_modules/typeorm/cli.js', 'migration:generate', target, ...options], {
    env: { ...process.env, MIGRATION_DATA_DIR: dataDir },
    stdio: 'inherit',
  });
  child.on('close', (code) => resolve(code ?? 1));
  return promise;
}
