import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { type DatabaseSettings, MIGRATIONS_TABLE, unhurriedOptions } from '../data-source.js';
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

// What an operator may have set for the server, the database or the role.
const WITHOUT_DEADLINES = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

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
      await refuseNewerSchema(queryRunner, migrations);
      return work({ queryRunner, migrations });
    });
  } finally {
    await dataSource.destroy();
  }
}

function migrationsOf({ migrations }: DataSource): NamedMigration[] {
  const named = migrations.map((migration) => ({
    name: migration.name ?? migration.constructor.name,
    migration,
  }));
  // A name ends in the moment that orders it.
  const moment = (name: string) => Number(name.slice(-13));
  return named.sort((one, other) => moment(one.name) - moment(other.name));
}

async function refuseNewerSchema(queryRunner: QueryRunner, migrations: NamedMigration[]): Promise<void> {
  const seen = (await queryRunner.query(`select name from ${MIGRATIONS_TABLE} order by timestamp`)) as {
    name: string;
  }[];
  const unknown = seen.findLast(({ name }) => migrations.every((known) => known.name !== name));
  if (unknown) throw newerSchema('The database', unknown.name);
}
