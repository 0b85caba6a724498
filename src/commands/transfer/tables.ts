import { type EntityManager, type EntityMetadata, MigrationExecutor } from 'typeorm';
import { type DatabaseSettings, openWithoutTimeouts } from '../../platform/database/data-source.js';

/** Every table of the service, in one transaction. */
export interface Tables {
  manager: EntityManager;
  /** The last migration of the database. */
  migration: string;
  tables: ReturnType<typeof tableOf>[];
}

// JSON has timestamps in the session's time zone and bytes in the session's format. After a statement on the coordinator's own
// tables, Citus refuses statements on several workers, unless it runs all of them through connections; other databases ignore that.
const SESSION = `set local timezone = 'UTC'; set local bytea_output = 'hex'; set local citus.enable_local_execution = off`;

/** Runs `work` in one transaction, without the timeouts of requests, and rolls back when it throws. */
export async function inTransaction<Result>(
  settings: DatabaseSettings,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  work: (tables: Tables) => Promise<Result>,
): Promise<Result> {
  const dataSource = await openWithoutTimeouts(settings);
  // Triggers write the rows of pet_counts.
  const tables = dataSource.entityMetadatas.map(tableOf).filter(({ name }) => name !== 'pet_counts');
  try {
    return await dataSource.transaction(isolation, async (manager) => {
      await manager.query(SESSION);
      const [last] = await new MigrationExecutor(dataSource, manager.queryRunner).getExecutedMigrations();
      return work({ manager, migration: last?.name ?? '', tables });
    });
  } finally {
    await dataSource.destroy();
  }
}

/** A table's `order` and `sequence` are those of its identity column; without one, `order` is the primary key. */
function tableOf({ tableName: name, columns, primaryColumns }: EntityMetadata) {
  const namesOf = (some: typeof columns) => some.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  const identity = columns.find(({ isGenerated }) => isGenerated);
  return {
    name,
    columns: namesOf(columns),
    order: namesOf(identity ? [identity] : primaryColumns),
    sequence: identity && `pg_get_serial_sequence('${name}', '${identity.databaseName}')::regclass`,
  };
}
