import { Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { MigrationExecutor, type DataSource } from 'typeorm';
import { openWithoutTimeouts, type DatabaseSettings } from '../data-source.js';

/**
 * Every statement on a table queues behind a migration that waits to lock it. So the migration gives up, and the next start tries
 * again: a replica of the previous release stays within its statement timeout of one second.
 */
const LOCK_WAIT_MS = 400;
const LOCK_TRY_MS = 100;
/** Most migrations take less. */
const LOG_WAIT_AFTER_MS = 5_000;

/** An arbitrary number that is the same in every release. */
const MIGRATION_LOCK = 7_251_004;

/**
 * Runs the pending migrations. Of many replicas that start together, one migrates; the others
 * wait for its lock and find nothing pending, because TypeORM reads the table of migrations inside the lock.
 */
export async function migrate(settings: DatabaseSettings): Promise<void> {
  const dataSource = await openWithoutTimeouts(settings, LOCK_WAIT_MS);
  try {
    // All connections to the embedded database share one session, in which an advisory lock excludes no other connection. When a
    // command migrates beside the service, the second of the two fails, is rolled back and finds nothing pending.
    if (settings.server === undefined)
      await runMigrations(dataSource, 'all').catch(() => runMigrations(dataSource, 'all'));
    // Each migration commits by itself, so that none holds its locks while another counts rows.
    else await withMigrationLock(dataSource, () => runMigrations(dataSource, 'each'));
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Runs work that changes the schema, while no other session does so. Waits for the lock without a time limit, and says so.
 *
 * A transaction holds the lock, because a pooler does not keep a session. Each attempt is a separate transaction: `create index
 * concurrently` in the migrating replica waits for the end of every transaction that was running a statement, so one that waits
 * for the lock would block the replica that holds it.
 */
async function withMigrationLock(dataSource: DataSource, work: () => Promise<void>): Promise<void> {
  let logAtMs = performance.now() + LOG_WAIT_AFTER_MS;
  for (let isDone = false; !isDone;) {
    isDone = await dataSource.transaction('READ COMMITTED', async (holder) => {
      // Without parameters, because the portal of a statement with parameters keeps a snapshot, for which such an index waits.
      const lock = `select pg_try_advisory_xact_lock(${String(MIGRATION_LOCK)}) as locked`;
      const [row] = await holder.query<{ locked: boolean }[]>(lock);
      if (row?.locked) await work();
      return row?.locked ?? false;
    });
    if (!isDone && performance.now() > logAtMs) {
      logAtMs = Infinity;
      new Logger('Database').warn('waiting for another process that migrates the database');
    }
    if (!isDone) await pause(LOCK_TRY_MS);
  }
}

async function runMigrations(dataSource: DataSource, transaction: 'all' | 'each'): Promise<void> {
  // TypeORM refuses a migration without a transaction in the mode `all`.
  if (transaction === 'all') for (const migration of dataSource.migrations) delete migration.transaction;
  const known = dataSource.migrations.map((migration) => migration.constructor.name);
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  const done = await dataSource.runMigrations({ transaction });
  const unknown = namesOf(executed).filter((name) => !known.includes(name));
  const logger = new Logger('Database');
  if (done.length > 0) logger.log({ migrations: namesOf(done) }, 'migrated the database');
  if (unknown.length > 0) logger.warn({ migrations: unknown }, 'the database is newer than this release');
}

const namesOf = (migrations: { name: string }[]) => migrations.map(({ name }) => name);
