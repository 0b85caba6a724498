import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { type DatabaseSettings, MIGRATIONS_TABLE, openWithoutTimeouts } from '../database/data-source.js';
import { nameOf, unknownMigration } from '../database/schema/migration-names.js';
import { newerSchema } from './transfer.errors.js';

/** A migration of this release, with the name that the database records. */
interface NamedMigration {
  name: string;
  migration: MigrationInterface;
}

export interface LongTransaction {
  queryRunner: QueryRunner;
  /** Oldest first. The database has run all of them and no other. */
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
      // Here, because a later release may have migrated since the command started.
      const applied: unknown = await queryRunner.query(`select name from ${MIGRATIONS_TABLE} order by id`);
      const unknown = unknownMigration(applied as { name: string }[], dataSource.migrations);
      if (unknown !== undefined) throw newerSchema('The database', unknown);
      return work({ queryRunner, migrations: migrationsOf(dataSource) });
    });
  } finally {
    await dataSource.destroy();
  }
}

function migrationsOf({ migrations }: DataSource): NamedMigration[] {
  const named = migrations.map((migration) => ({
    name: nameOf(migration),
    migration,
  }));
  // A name ends in the timestamp that orders it.
  const timestamp = (name: string) => Number(name.slice(-13));
  return named.sort((one, other) => timestamp(one.name) - timestamp(other.name));
}
