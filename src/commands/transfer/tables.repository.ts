import type { QueryRunner } from 'typeorm';
import { type ExportedTable, frameOfRow } from './export-format.js';

/** Tables that an export leaves out, because a release or a trigger writes their rows. */
const DERIVED_TABLES = ['migrations', 'pet_counts'];

const ROWS_PER_FETCH = 2_000;

// The catalogue, not a list of names: a table or a column that is added later cannot be forgotten. Tables of extensions
// are left out, because the extension creates them, and tables that inherit, because the parent's rows include theirs.
const TABLES = `
  select t.relname::text as name,
    (select json_object_agg(c.attname, format_type(c.atttypid, c.atttypmod) order by c.attnum)
      from pg_attribute c
      where c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped and c.attgenerated = '') as columns,
    (select json_agg(c.attname order by k.position)
      from pg_index i
        cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, position)
        join pg_attribute c on c.attrelid = t.oid and c.attnum = k.attnum
      where i.indrelid = t.oid and i.indisprimary) as key,
    (select c.attname::text from pg_attribute c where c.attrelid = t.oid and c.attidentity <> '') as identity
  from pg_class t join pg_namespace n on n.oid = t.relnamespace
  where n.nspname = current_schema() and t.relkind = 'r' and t.relname <> all($1)
    and not exists (select from pg_inherits where inhrelid = t.oid)
    and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = t.oid and d.deptype = 'e')
  order by t.relname`;

interface TableRow {
  name: string;
  columns: Record<string, string>;
  key: string[] | null;
  identity: string | null;
}

/**
 * Reads and writes whole tables on the connection of one transaction. `COPY` was considered: the embedded database does not
 * support it through a socket.
 */
export class TablesRepository {
  constructor(private readonly queryRunner: QueryRunner) {}

  /** Every table of the service with its columns, without those that the service derives. */
  async list(): Promise<ExportedTable[]> {
    const tables: ExportedTable[] = [];
    for (const { name, columns, key, identity } of await this.query<TableRow>(TABLES, [DERIVED_TABLES])) {
      if (!key) throw new Error(`the table ${name} has no primary key, so its rows have no order`);
      const ids =
        identity === null ? {} : { ids: { column: identity, next: await this.nextId(name, identity) } };
      // A distributed table has its distribution column in the primary key too, and the ids are as unique.
      tables.push({ name, columns, key: identity === null ? key : [identity], ...ids });
    }
    return tables;
  }

  /** Keeps other transactions from writing until this one ends. */
  async lockTables(tables: readonly ExportedTable[]): Promise<void> {
    const names = tables.map(({ name }) => quoted(name)).join(', ');
    await this.query(`lock table ${names} in share row exclusive mode`);
  }

  async hasRows({ name }: ExportedTable): Promise<boolean> {
    return (await this.query(`select from ${quoted(name)} limit 1`)).length > 0;
  }

  async count({ name }: ExportedTable): Promise<number> {
    const [row] = await this.query<{ count: string }>(`select count(*)::text as count from ${quoted(name)}`);
    return Number(row?.count);
  }

  /** The lines of an export for every row, in batches; `done` is the number of rows so far. */
  async *lines(tables: readonly ExportedTable[]): AsyncGenerator<{ lines: string; done: number }> {
    let done = 0;
    for (const table of tables) {
      const { before, after } = frameOfRow(table.name);
      for await (const rows of this.rows(table)) {
        done += rows.length;
        yield { lines: rows.map((json) => `${before}${json}${after}`).join(''), done };
      }
    }
  }

  /** Every row as JSON in batches, in the order of the primary key. */
  private async *rows(table: ExportedTable): AsyncGenerator<string[]> {
    // Text is sorted by its bytes, because other collations differ between databases. A cursor sorts once.
    const order = table.key.map(
      (name) => quoted(name) + (table.columns[name] === 'text' ? ' collate "C"' : ''),
    );
    await this.query(`
      declare exported no scroll cursor for
      select row_to_json((select r from (select ${columnsOf(table)}) r))::text as json
      from ${quoted(table.name)} order by ${order.join(', ')}`);
    for (;;) {
      const rows = await this.query<{ json: string }>(`fetch ${ROWS_PER_FETCH} from exported`);
      if (rows.length > 0) yield rows.map(({ json }) => json);
      if (rows.length < ROWS_PER_FETCH) break;
    }
    await this.query('close exported');
  }

  /** Inserts rows as PostgreSQL wrote them, ids included. */
  async insert(table: ExportedTable, rows: readonly string[]): Promise<void> {
    const columns = columnsOf(table);
    const name = quoted(table.name);
    await this.query(
      `insert into ${name} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
  }

  /** Continues ids after the highest id ever assigned, also when that row is deleted. */
  async continueIds({ name, ids }: ExportedTable): Promise<void> {
    if (!ids) return;
    const [highest] = await this.query<{ next: string }>(
      `select greatest(max(${quoted(ids.column)}) + 1, $1::bigint, $2::bigint)::text as next from ${quoted(name)}`,
      [String(ids.next), String(await this.nextId(name, ids.column))],
    );
    await this.query('select setval(pg_get_serial_sequence($1, $2), $3, false)', [
      quoted(name),
      ids.column,
      highest?.next,
    ]);
  }

  /** Updates the planner's statistics now instead of within a minute. */
  async analyze({ name }: ExportedTable): Promise<void> {
    await this.query(`analyze ${quoted(name)}`);
  }

  private async nextId(table: string, column: string): Promise<bigint> {
    const [sequence] = await this.query<{ name: string }>('select pg_get_serial_sequence($1, $2) as name', [
      quoted(table),
      column,
    ]);
    if (!sequence) throw new Error(`${table}.${column} has no sequence`);
    // PostgreSQL returns the name quoted where necessary.
    const [row] = await this.query<{ next: string }>(
      `select (last_value + is_called::int)::text as next from ${sequence.name}`,
    );
    return BigInt(row?.next ?? 1);
  }

  private async query<Row>(text: string, values?: unknown[]): Promise<Row[]> {
    return (await this.queryRunner.query(text, values)) as Row[];
  }
}

function columnsOf({ columns }: ExportedTable): string {
  return Object.keys(columns).map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
