import { QueryFailedError } from 'typeorm';
import { RefusedInputError } from '../../platform/common/errors/refused-input-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { isDatabaseAway } from '../../platform/common/errors/database-errors.js';
import { type Contents, type OnProgress, readExport, type TransferSummary } from './export-file.js';
import { inTransaction, type Tables } from './tables.js';

/**
 * Fills an empty database from a file in one transaction. Its contents are known from an earlier reading.
 *
 * @throws RefusedInputError when the database is not empty, has another schema, or does not accept a row.
 */
export async function importFrom(
  path: string,
  { migration, nextIds, rows, sha256 }: Contents,
  settings: DatabaseSettings,
  onProgress: OnProgress,
): Promise<TransferSummary> {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  let done = 0;
  const fill = async ({ manager, tables, ...database }: Tables) => {
    for (const { name } of tables) {
      await manager.query(`lock table "${name}" in share row exclusive mode`);
      if ((await manager.query<object[]>(`select from "${name}" limit 1`)).length > 0)
        throw new RefusedInputError(
          `The database is not empty (${name} has rows): import into a new one, before the service's first start`,
        );
    }
    if (database.migration !== migration)
      throw new RefusedInputError(
        `${path} has another schema (${migration}) than the database (${database.migration}): use the release that exported it`,
      );
    await readExport(path, async (name, batch) => {
      const { columns } = tables.find((table) => table.name === name) ?? {};
      if (!columns)
        throw new RefusedInputError(`${path} has rows of ${name}, which the database does not have`);
      const insert = `insert into "${name}" (${columns}) overriding system value
        select ${columns} from jsonb_populate_recordset(null::"${name}", $1::jsonb)`;
      await manager.query(insert, [`[${batch.join(',')}]`]);
      onProgress('importing', (done += batch.length), total);
    });
    for (const { name, order, sequence } of tables) {
      await manager.query(`analyze "${name}"`);
      if (!sequence) continue;
      // Two statements: Citus may run one that reads a table on a worker, whose sequence has other values.
      const [highest] = await manager.query<{ id: bigint }[]>(`select max(${order}) as id from "${name}"`);
      // Ids continue after the highest one ever assigned, also when that row is deleted.
      const nextId = `greatest($1::bigint, $2::bigint + 1, pg_sequence_last_value(${sequence}) + 1)`;
      const continueIds = `select setval(${sequence}, nullif(${nextId} - 1, 0))`;
      await manager.query(continueIds, [nextIds[name] ?? '1', highest?.id]);
    }
  };
  await inTransaction(settings, 'READ COMMITTED', fill).catch((cause: unknown) => {
    // Only another program writes rows that the database refuses, with a valid checksum.
    if (!(cause instanceof QueryFailedError) || isDatabaseAway(cause)) throw cause;
    throw new RefusedInputError(`${path} cannot be imported: ${cause.message}`, { cause });
  });
  return { file: path, migration, rows, sha256 };
}
