import { QueryFailedError } from 'typeorm';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { isDatabaseAway } from '../../platform/database/database.errors.js';
import { type OnProgress, readExport, sumOf, type TransferSummary } from './export-file.js';
import { inTransaction, type Tables } from './tables.js';

/**
 * Fills an empty database from a file in one transaction. `checked` is the result of an earlier reading.
 *
 * @throws RefusedInputError when the database is not empty, has another schema, or does not accept a row.
 */
export async function importFrom(
  path: string,
  { header, trailer }: Awaited<ReturnType<typeof readExport>>,
  settings: DatabaseSettings,
  onProgress: OnProgress,
): Promise<TransferSummary> {
  await inTransaction(settings, 'READ COMMITTED', async (all) => {
    const { manager, migration, tables } = all;
    await refuseRows(all);
    if (header.migration !== migration)
      throw new RefusedInputError(
        `${path} has another schema (${header.migration}) than the database (${migration}): use the release that exported it`,
      );
    let done = 0;
    await readExport(path, async (name, rows) => {
      const table = tables.find((candidate) => candidate.name === name);
      if (!table)
        throw new RefusedInputError(`${path} has rows of ${name}, which the database does not have`);
      const insert = `insert into ${table.quoted} (${table.columns}) overriding system value
        select ${table.columns} from jsonb_populate_recordset(null::${table.quoted}, $1::jsonb)`;
      await accepted(path, name, () => manager.query(insert, [`[${rows.join(',')}]`]));
      onProgress('importing', (done += rows.length), sumOf(trailer.rows));
    });
    for (const table of tables) {
      // Ids continue after the highest one ever assigned, also when that row is deleted.
      if (table.id !== null) {
        const highest = `(select max(${table.id}) + 1 from ${table.quoted})`;
        const continueIds = `select setval($1::regclass, greatest(${highest}, $2::bigint, (select last_value + is_called::int from ${table.sequence})), false)`;
        const nextId = header.nextIds[table.name] ?? '1';
        await accepted(path, table.name, () => manager.query(continueIds, [table.sequence, nextId]));
      }
      await manager.query(`analyze ${table.quoted}`);
    }
  });
  return { file: path, migration: header.migration, ...trailer };
}

async function refuseRows({ manager, tables }: Tables): Promise<void> {
  const names = tables.map(({ quoted }) => quoted).join(', ');
  await manager.query(`lock table ${names} in share row exclusive mode`);
  for (const { name, quoted } of tables) {
    if ((await manager.query<object[]>(`select from ${quoted} limit 1`)).length === 0) continue;
    throw new RefusedInputError(
      `The database is not empty (${name} has rows): import into a new one, before the service's first start`,
    );
  }
}

/** The database refuses rows only if another program wrote the file, with a valid checksum. */
async function accepted(path: string, table: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((cause: unknown) => {
    if (!(cause instanceof QueryFailedError) || isDatabaseAway(cause.driverError)) throw cause;
    throw new RefusedInputError(`${path} has rows that ${table} does not accept: ${cause.message}`, {
      cause,
    });
  });
}
