import pg from 'pg';
import { DataSource } from 'typeorm';
import { unhurriedOptions, type DatabaseSettings } from './data-source.js';

/** Any number will do, as long as every release uses the same one. */
const MIGRATION_LOCK = 7_251_004;

/**
 * Brings the schema up to date. However many replicas start together, one migrates and the others wait
 * and then find nothing to do: TypeORM reads the list of what has run inside the lock.
 */
export async function migrate(settings: DatabaseSettings): Promise<string[]> {
  if (settings.url === undefined) return migrateEmbedded(settings);
  const holder = new pg.Client({ connectionString: settings.url });
  await holder.connect();
  try {
    // Bound to a transaction, so that it works behind a pooler too.
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    return await runMigrations(settings);
  } finally {
    await holder.end();
  }
}

/**
 * The embedded database has one session behind all its connections, so a lock there would exclude nobody. A
 * command may migrate beside the service; whoever comes second is rolled back and then finds nothing to do.
 */
async function migrateEmbedded(settings: DatabaseSettings): Promise<string[]> {
  try {
    return await runMigrations(settings);
  } catch {
    return runMigrations(settings);
  }
}

async function runMigrations(settings: DatabaseSettings): Promise<string[]> {
  const dataSource = new DataSource(unhurriedOptions(settings));
  await dataSource.initialize();
  try {
    const done = await dataSource.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await dataSource.destroy();
  }
}
