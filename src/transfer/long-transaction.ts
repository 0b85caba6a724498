import { MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { RefusedInputError } from '../common/errors/api-error.js';
import { type DatabaseSettings, openWithoutTimeouts } from '../database/data-source.js';
import { nameOf } from '../database/schema/migrate.js';

/** A migration of this release, with the name that the database records. */
interface NamedMigration {
  name: string;
  migration: MigrationInterface;
}

export interface LongTransaction {
  queryRunner: QueryRunner;
  /** Those that the database has run, oldest first. */
  migrations: NamedMigration[];
}

// A Citus coordinator that has run a statement on its own tables refuses later statements on several workers in the same
// transaction, unless it runs all statements through connections. Other databases ignore the setting.
const FOR_CITUS = 'set local citus.enable_local_execution = off';

// JSON has timestamps in the session's time zone and bytes in the session's format. `set local`, because all connections
// to the embedded database share one session.
const FIXED_FORMATS = `set local timezone = 'UTC'; set local bytea_output = 'hex'`;

/**
 * Runs `work` in one transaction on its own connection, without the timeouts of requests. Rolls back when it throws. On
 * the embedded database all other callers wait meanwhile.
 */
export async function inLongTransaction<Result>(
  settings: DatabaseSettings,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  work: (transaction: LongTransaction) => Promise<Result>,
): Promise<Result> {
  const dataSource = await openWithoutTimeouts(settings);
  try {
    return await dataSource.transaction(isolation, async ({ queryRunner }) => {
      if (!queryRunner) throw new Error('a transaction without a connection');
      await queryRunner.query(FIXED_FORMATS);
      await queryRunner.query(FOR_CITUS);
      const executed = await new MigrationExecutor(dataSource, queryRunner).getExecutedMigrations();
      const known = new Map(dataSource.migrations.map((migration) => [nameOf(migration), migration]));
      const migrations = executed.reverse().map(({ name }) => {
        const migration = known.get(name);
        // A later release may have migrated since the command started.
        if (!migration) throw newerSchema('The database', name);
        return { name, migration };
      });
      return work({ queryRunner, migrations });
    });
  } finally {
    await dataSource.destroy();
  }
}

/** `what`, a file or the database, was written by a later release. */
export const newerSchema = (what: string, migration: string) =>
  new RefusedInputError(
    `${what} has a newer schema (${migration}) than this release knows; use a newer release`,
  );
