import { DataSource } from 'typeorm';
import { unhurriedOptions, type DatabaseSettings } from './data-source.js';
import { DatabaseStartError } from './database.errors.js';
import { SteadyClient } from './steady-client.js';

/** Any number will do, as long as every release uses the same one. */
const MIGRATION_LOCK = 7_251_004;

/**
 * Brings the schema up to date. However many replicas start together, one migrates and the others wait
 * and then find nothing to do: TypeORM reads the list of what has run inside the lock.
 */
export async function migrate(settings: DatabaseSettings): Promise<string[]> {
  if (settings.url === undefined) return migrateEmbedded(settings);
  const holder = new SteadyClient({ connectionString: settings.url });
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
    await refuseNewerSchema(dataSource);
    const done = await dataSource.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await dataSource.destroy();
  }
}

/** A schema that a later release has changed is not this one's: what it would write there nobody has tried. */
async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const table = String(dataSource.options.migrationsTableName);
  const [found] = await dataSource.query<{ name: string | null }[]>('select to_regclass($1)::text as name', [
    table,
  ]);
  if (!found?.name) return;
  const known = new Set(dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name));
  const run = await dataSource.query<{ name: string }[]>(`select name from ${table} order by id`);
  const unknown = run.find(({ name }) => !known.has(name));
  if (!unknown) return;
  throw new DatabaseStartError(
    `The database is newer than this release, which does not know its migration ${unknown.name}: start the later release.`,
  );
}
