import { QueryFailedError } from 'typeorm';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { isDatabaseAway } from '../../platform/database/database.errors.js';
import { type OnProgress, readExport, sumOf, type TransferSummary } from './export-file.js';
import { inTransaction } from './tables.js';

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
  await inTransaction(settings, 'READ COMMITTED', async ({ manager, migration, tables }) => {
    for (const { name, quoted } of tables) {
      await manager.query(`lock table ${quoted} in share row exclusive mode`);
      if ((await manager.query<object[]>(`select from ${quoted} limit 1`)).length === 0) continue;
      throw new RefusedInputError(
        `The database is not empty (${name} has rows): import into a new one, before the service's first start`,
      );
    }
    if (header.migration !== migration)
      throw new RefusedInputError(
        `${path} has another schema (${header.migration}) than the database (${migration}): use the release that exported it`,
      );
    let done = 0;
    await readExport(path, async (name, rows) => {
      const { quoted, columns } = tables.find((table) => table.name === name) ?? {};
      if (!quoted)
        throw new RefusedInputError(`${path} has rows of ${name}, which the database does not have`);
      const insert = `insert into ${quoted} (${columns}) overriding system value
        select ${columns} from jsonb_populate_recordset(null::${quoted}, $1::jsonb)`;
      await accepted(path, name, manager.query(insert, [`[${rows.join(',')}]`]));
      onProgress('importing', (done += rows.length), sumOf(trailer.rows));
    });
    for (const { name, quoted, order, sequence } of tables) {
      // Ids continue after the highest one ever assigned, also when that row is deleted.
      const continueIds = `select setval($1::regclass, greatest($2::bigint, (select max(${order}) + 1 from ${quoted}),
        (select last_value + is_called::int from ${sequence ?? ''})), false)`;
      if (sequence !== null)
        await accepted(path, name, manager.query(continueIds, [sequence, header.nextIds[name] ?? '1']));
      await manager.query(`analyze ${quoted}`);
    }
  });
  return { file: path, migration: header.migration, ...trailer };
}

/** The database refuses rows only if another program wrote the file, with a valid checksum. */
async function accepted(path: string, table: string, work: Promise<unknown>): Promise<void> {
  await work.catch((cause: unknown) => {
    if (!(cause instanceof QueryFailedError) || isDatabaseAway(cause.driverError)) throw cause;
    throw new RefusedInputError(`${path} has rows that ${table} does not accept: ${cause.message}`, {
      cause,
    });
  });
}
