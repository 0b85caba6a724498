import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { type DatabaseSettings, openWithoutTimeouts } from '../../platform/database/data-source.js';

export interface LongTransaction {
  queryRunner: QueryRunner;
  /** The names of those that the database has run, oldest first. */
  migrations: string[];
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
      return work({ queryRunner, migrations: executed.reverse().map(({ name }) => name) });
    });
  } finally {
    await dataSource.destroy();
  }
}
