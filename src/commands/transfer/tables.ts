import { type EntityManager, MigrationExecutor } from 'typeorm';
import { type DatabaseSettings, openWithoutTimeouts } from '../../platform/database/data-source.js';

/** Every table of the service, in one transaction. */
interface Tables {
  manager: EntityManager;
  /** The last migration of the database. */
  migration: string;
  tables: Table[];
}

/** Names are quoted, except `name`. `sequence` is that of the identity column, which is the `order` then. */
interface Table {
  name: string;
  quoted: string;
  columns: string;
  order: string;
  sequence: string | null;
}

// The catalogue, not a list of names: a table that is added later cannot be forgotten. Releases and triggers write the rows of the two
// that are left out. Text is sorted by its bytes, because other collations differ between databases. A distributed table has its
// distribution column in the primary key too, and the ids are as unique.
const TABLES = `
  select t.relname::text as name, quote_ident(t.relname) as quoted,
    pg_get_serial_sequence(quote_ident(t.relname), identity.attname) as sequence,
    string_agg(quote_ident(c.attname), ', ' order by c.attnum) as columns,
    coalesce(quote_ident(identity.attname), string_agg(
      quote_ident(c.attname) || case when c.atttypid = 'text'::regtype then ' collate "C"' else '' end,
      ', ' order by array_position(k.indkey::int2[], c.attnum)) filter (where c.attnum = any(k.indkey))) as "order"
  from pg_class t
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    join pg_index k on k.indrelid = t.oid and k.indisprimary
    left join pg_attribute identity on identity.attrelid = t.oid and identity.attidentity <> ''
  where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
    and t.relname not in ('migrations', 'pet_counts')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = t.oid and deptype = 'e')
  group by t.relname, identity.attname
  order by t.relname`;

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
  try {
    return await dataSource.transaction(isolation, async (manager) => {
      await manager.query(SESSION);
      const [last] = await new MigrationExecutor(dataSource, manager.queryRunner).getExecutedMigrations();
      return work({ manager, migration: last?.name ?? '', tables: await manager.query<Table[]>(TABLES) });
    });
  } finally {
    await dataSource.destroy();
  }
}
