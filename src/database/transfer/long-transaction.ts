import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  type DatabaseSettings,
  MIGRATIONS_TABLE,
  unhurriedOptions,
  WITHOUT_DEADLINES,
} from '../data-source.js';
import { nameOf, unknownMigration } from '../migration-names.js';
import { newerSchema } from './transfer.errors.js';

/** A migration of this release, by the name under which the database remembers it. */
interface NamedMigration {
  name: string;
  migration: MigrationInterface;
}

export interface LongTransaction {
  queryRunner: QueryRunner;
  /** Oldest first; the database has seen all of them, and no other. */
  migrations: NamedMigration[];
}

// JSON writes moments in the session's zone, and bytes in the session's style. Local: one session stands behind all
// connections to the embedded database.
const IN_ONE_STYLE = `set local timezone = 'UTC'; set local bytea_output = 'hex'`;

/**
 * Runs `work` in one transaction on a connection of its own, without the deadlines of requests; all of it is undone
 * when it throws. On the embedded database everybody else waits meanwhile.
 */
export async function inLongTransaction<Result>(
  settings: DatabaseSettings,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  work: (transaction: LongTransaction) => Promise<Result>,
): Promise<Result> {
  const dataSource = new DataSource(unhurriedOptions(settings));
  await dataSource.initialize();
  try {
    return await dataSource.transaction(isolation, async ({ queryRunner }) => {
      if (!queryRunner) throw new Error('a transaction without a connection');
      if (settings.url !== undefined) await queryRunner.query(WITHOUT_DEADLINES);
      await queryRunner.query(IN_ONE_STYLE);
      const migrations = migrationsOf(dataSource);
      await refuseNewerSchema(queryRunner, dataSource.migrations);
      return work({ queryRunner, migrations });
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
  // A name ends in the moment that orders it.
  const moment = (name: string) => Number(name.slice(-13));
  return named.sort((one, other) => moment(one.name) - moment(other.name));
}

/** Asked in the transaction itself: a later release may have come since the command began. */
async function refuseNewerSchema(
  queryRunner: QueryRunner,
  migrations: readonly MigrationInterface[],
): Promise<void> {
  const seen = (await queryRunner.query(`select name from ${MIGRATIONS_TABLE} order by id`)) as {
    name: string;
  }[];
  const unknown = unknownMigration(seen, migrations);
  if (unknown !== undefined) throw newerSchema('The database', unknown);
}
