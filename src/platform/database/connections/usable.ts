import type { DataSource } from 'typeorm';
import { isDatabaseAway } from '../../common/errors/database-errors.js';
import type { Statement } from '../database.js';

/**
 * Why the database cannot be used, or null: it is a standby or read-only, or its tables are not where the session looks for them, or the
 * role may not use them. `$1`: the names of the tables.
 */
export const UNUSABLE: Statement = {
  name: 'unusable',
  text: `select
      case
        when pg_is_in_recovery() then 'it is a standby'
        when current_setting('transaction_read_only') = 'on' then 'it is read-only'
        when missing is not null then 'it lacks a table of the service, or a right to use it'
      end as reason,
      missing
    from (
      select (
        select name from unnest($1::text[]) as name
        where to_regclass(name) is null or not (
          has_table_privilege(to_regclass(name)::oid, 'select')
          and has_table_privilege(to_regclass(name)::oid, 'insert')
          and has_table_privilege(to_regclass(name)::oid, 'update')
          and has_table_privilege(to_regclass(name)::oid, 'delete')
        )
        limit 1
      ) as missing
    ) first`,
};

export interface Unusable {
  reason: string | null;
  /** The name of a table. */
  missing: string | null;
}

/**
 * Fails on a full disk. The numbers do not fit into the memory that the statement allows itself, so they are written to a temporary file of
 * 144 KiB where the tables are: nothing of the database changes, and nothing is left.
 */
export const ROOM: Statement = {
  name: 'room',
  text: `select count(*)
    from (
      select set_config('work_mem', '64kB', true) || set_config('temp_tablespaces', '', true) as applied offset 0
    ) settings
    cross join lateral generate_series(1, 10000 + 0 * length(applied))`,
};

/** The names of the tables, as the statements of the service write them. */
export const tablesOf = (dataSource: DataSource): string[] =>
  dataSource.entityMetadatas.map(({ tableName }) => tableName);

/**
 * What the connections of the service itself do not find of the tables and columns of the entities; undefined when all is there. The
 * migrations may have run elsewhere: `DATABASE_MIGRATION_URL` may name another database, and its role may have another `search_path`.
 */
export async function missingPart(dataSource: DataSource): Promise<string | undefined> {
  const [answer] = await dataSource.query<Unusable[]>(UNUSABLE.text, [tablesOf(dataSource)]);
  // A standby is not ready, and becomes so when it is promoted.
  return answer?.missing ?? missingColumn(dataSource);
}

/** The tables may be those of another release. */
async function missingColumn(dataSource: DataSource): Promise<string | undefined> {
  const statements = dataSource.entityMetadatas.map(
    ({ tableName, columns }) =>
      `select ${columns.map(({ databaseName }) => `"${databaseName}"`).join()} from "${tableName}" where false`,
  );
  return dataSource.query(statements.join(';')).then(
    () => undefined,
    (error: unknown) => {
      if (isDatabaseAway(error)) throw error;
      return (error as Error).message;
    },
  );
}
