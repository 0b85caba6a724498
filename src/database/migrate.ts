import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { unhurriedOptions, WITHOUT_DEADLINES, type DatabaseSettings } from './data-source.js';
import { DatabaseStartError } from './database.errors.js';
import { unknownMigration } from './migration-names.js';
import { SteadyClient } from './steady-client.js';

/**
 * Who waits for a whole table makes everybody wait who comes after. So a migration waits a little, lets them go first and tries again:
 * a replica of the release before, which is still serving, gets its answers within its own second.
 */
const LOCK_WAIT_MS = 400;
const PAUSE_MS = 600;
const ATTEMPTS = 30;
const LOCKED_OUT = /^(?:55P03|40P01)$/;

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
    await holder.query(`begin; ${WITHOUT_DEADLINES}`);
    await holder.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    return await untilLocksAreFree(() => runMigrations(settings));
  } finally {
    await holder.end();
  }
}

/** Raises DatabaseStartError when somebody else holds on to what a migration needs. */
async function untilLocksAreFree<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!LOCKED_OUT.test((error as { code?: string }).code ?? '')) throw error;
      if (attempt === ATTEMPTS) throw lockedOut(error);
    }
    await pause(PAUSE_MS);
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
    if (settings.url !== undefined) {
      await dataSource.query(`${WITHOUT_DEADLINES}; set lock_timeout = ${String(LOCK_WAIT_MS)}`);
    }
    const done = await dataSource.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await dataSource.destroy();
  }
}

function lockedOut(cause: unknown): DatabaseStartError {
  return new DatabaseStartError(
    'The database cannot be migrated: another session holds a lock on a table for too long (a backup, an open transaction).',
    { cause },
  );
}

/** A schema that a later release has changed is not this one's: what it would write there nobody has tried. */
async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const table = String(dataSource.options.migrationsTableName);
  const [found] = await dataSource.query<{ name: string | null }[]>('select to_regclass($1)::text as name', [
    table,
  ]);
  if (!found?.name) return;
  const seen = await dataSource.query<{ name: string }[]>(`select name from ${table} order by id`);
  const unknown = unknownMigration(seen, dataSource.migrations);
  if (unknown === undefined) return;
  throw new DatabaseStartError(
    `The database is newer than this release, which does not know its migration ${unknown}: start the later release.`,
  );
}
