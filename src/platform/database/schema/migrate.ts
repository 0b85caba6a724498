import { setTimeout as pause } from 'node:timers/promises';
import {
  MigrationExecutor,
  type DataSource,
  type EntityManager,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { openWithoutTimeouts, type DatabaseSettings } from '../data-source.js';
import { DatabaseStartError } from '../database.errors.js';

/**
 * Every statement on a table queues behind a migration that waits to lock it. So a migration waits a short time, lets the
 * others pass and tries again: a replica of the previous release stays within its statement timeout of one second.
 */
const LOCK_WAIT_MS = 400;
const PAUSE_MS = 600;
const ATTEMPTS = 30;
const LOCK_TRY_MS = 100;
const LOCKED_OUT_MESSAGE =
  'The database cannot be migrated: another session holds a lock on a table for too long (a backup, an open transaction).';
const LOCKED_OUT = /^(?:55P03|40P01)$/;

/** An arbitrary number that is the same in every release. */
const MIGRATION_LOCK = 7_251_004;

/**
 * Runs the pending migrations and resolves with their names. Of many replicas that start together, one migrates; the others
 * wait for its lock and find nothing pending, because TypeORM reads the table of migrations inside the lock.
 *
 * @throws DatabaseStartError when the schema is newer than this release, advisory locks do not work, or another
 * session holds a table for too long.
 */
export async function migrate(settings: DatabaseSettings): Promise<string[]> {
  const dataSource = await openWithoutTimeouts(settings, LOCK_WAIT_MS);
  try {
    // All connections to the embedded database share one session, in which an advisory lock excludes no other connection. When a
    // command migrates beside the service, the second of the two fails, is rolled back and finds nothing pending.
    if (settings.url === undefined)
      return await runMigrations(dataSource, 'all').catch(() => runMigrations(dataSource, 'all'));
    return await withMigrationLock(dataSource, async () => {
      await refuseSharedLock(dataSource);
      // Each migration commits by itself, so that none holds its locks while another counts rows.
      return runMigrations(dataSource, 'each');
    });
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Runs work that changes the schema, while no other session does so. Waits for the lock without a time limit.
 *
 * A transaction holds the lock, because a pooler does not keep a session. Each attempt is a separate transaction: `create index
 * concurrently` in the migrating replica waits for the end of every transaction that was running a statement, so one that waits
 * for the lock would block the replica that holds it.
 */
export async function withMigrationLock<Result>(
  dataSource: DataSource,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const result = await dataSource.transaction('READ COMMITTED', async (holder) =>
      (await takesLock(holder)) ? { done: await work() } : undefined,
    );
    if (result) return result.done;
    await pause(LOCK_TRY_MS);
  }
}

/** Without parameters, because the portal of a statement with parameters keeps a snapshot, for which `create index concurrently` waits. */
async function takesLock(connection: DataSource | EntityManager): Promise<boolean> {
  const rows = await connection.query<{ locked: boolean }[]>(
    `select pg_try_advisory_xact_lock(${String(MIGRATION_LOCK)}) as locked`,
  );
  return rows[0]?.locked ?? false;
}

/** Idempotency keys and migrations need locks that exclude. CockroachDB, for example, gives one lock to every session. */
async function refuseSharedLock(dataSource: DataSource): Promise<void> {
  if (!(await takesLock(dataSource))) return;
  throw new DatabaseStartError(
    'The database gives an advisory lock to two sessions at once, so it cannot keep requests apart: use PostgreSQL 14 or later.',
  );
}

async function runMigrations(dataSource: DataSource, transaction: 'all' | 'each'): Promise<string[]> {
  await refuseNewerSchema(dataSource);
  // TypeORM refuses a migration without a transaction in the mode `all`.
  if (transaction === 'all') for (const migration of dataSource.migrations) delete migration.transaction;
  const pending = await new MigrationExecutor(dataSource).getPendingMigrations();
  await runOnceUnlocked(() => dataSource.runMigrations({ transaction }));
  return pending.map((migration) => migration.name);
}

/** Repeats `run` while tables are locked. A failed attempt keeps the migrations that it has committed. */
async function runOnceUnlocked(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (!LOCKED_OUT.test((error as { code?: string }).code ?? '')) throw error;
      if (attempt === ATTEMPTS) throw new DatabaseStartError(LOCKED_OUT_MESSAGE, { cause: error });
    }
    await pause(PAUSE_MS);
  }
}

/** Refuses a schema that a later release has changed, because this release was never tested on it. */
async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const known = new Set(dataSource.migrations.map(nameOf));
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  const unknown = executed.findLast(({ name }) => !known.has(name));
  if (!unknown) return;
  throw new DatabaseStartError(
    `The database is newer than this release, which does not know its migration ${unknown.name}: start the later release.`,
  );
}

/** The name of a migration in the database's table of migrations. */
export function nameOf({ constructor: { name } }: MigrationInterface): string {
  return name;
}

/**
 * Builds an index in a migration that declares `transaction = false`, while others read and write the table. Inside a
 * transaction, as on the embedded database and in an import, the index is built at once, because no other session writes there.
 *
 * @param on the table and its columns, for example `"usage_days" ("day")`
 */
export async function buildIndex(queryRunner: QueryRunner, name: string, on: string): Promise<void> {
  if (queryRunner.isTransactionActive) {
    await queryRunner.query(`create index "${name}" on ${on}`);
    return;
  }
  // The build waits for older transactions and blocks none, so it may take long. The timeout is not set behind a pooler in transaction
  // mode, where `set` would reach other clients.
  const [before] = (await queryRunner.query('show lock_timeout')) as { lock_timeout: string }[];
  const hasTimeout = before !== undefined && before.lock_timeout !== '0';
  if (hasTimeout) await queryRunner.query('set lock_timeout = 0');
  // A build that was interrupted has left an invalid index.
  await queryRunner.query(`drop index concurrently if exists "${name}"`);
  await queryRunner.query(`create index concurrently "${name}" on ${on}`);
  if (hasTimeout) await queryRunner.query(`set lock_timeout = '${before.lock_timeout}'`);
}
