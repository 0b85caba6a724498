import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { QueryFailedError } from 'typeorm';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { isDatabaseAway } from '../../platform/database/database.errors.js';
import { nameOf } from '../../platform/database/schema/migrate.js';
import { type ExportedTable, type OnProgress, sumOf, type TransferSummary } from './export-format.js';
import { type ExportFile, readExport } from './export-reader.js';
import { inLongTransaction, type LongTransaction } from './long-transaction.js';
import { TablesRepository } from './tables.repository.js';

/**
 * Fills an empty database from a file in one transaction.
 *
 * @throws RefusedInputError when the database is not empty or the file does not fit its schema.
 */
export async function importFrom(
  file: ExportFile,
  settings: DatabaseSettings,
  onProgress: OnProgress,
): Promise<TransferSummary> {
  await inLongTransaction(settings, 'READ COMMITTED', (transaction) => fill(file, transaction, onProgress));
  return { file: file.path, migration: file.header.migration, ...file.trailer };
}

async function fill(
  file: ExportFile,
  { queryRunner, migrations }: LongTransaction,
  onProgress: OnProgress,
): Promise<void> {
  const { path, header } = file;
  const tables = new TablesRepository(queryRunner);
  await refuseRows(tables);
  const last = migrations.indexOf(header.migration);
  if (last === -1)
    throw new RefusedInputError(
      `${path} has a newer schema (${header.migration}) than the database; use a newer release`,
    );
  // Rows go into the schema they came from. The later migrations then run on the rows too.
  const { migrations: known } = queryRunner.dataSource;
  const since = migrations
    .slice(last + 1)
    .flatMap((name) => known.filter((migration) => nameOf(migration) === name));
  for (const migration of since.toReversed()) await migration.down(queryRunner);
  refuseOtherTables(path, header.tables, await tables.list());
  await insert(tables, file, onProgress);
  await verify(tables, file, onProgress);
  for (const table of header.tables) await tables.continueIds(table);
  for (const migration of since) await migration.up(queryRunner);
  for (const table of await tables.list()) await tables.analyze(table);
}

async function refuseRows(repository: TablesRepository): Promise<void> {
  const tables = await repository.list();
  await repository.lockTables(tables);
  for (const table of tables) {
    if (!(await repository.hasRows(table))) continue;
    throw new RefusedInputError(
      `The database is not empty (${table.name} has rows): import into a new one, before the service's first start`,
    );
  }
}

/** Columns may have another order and ids may continue at another number; nothing else may differ. */
function refuseOtherTables(path: string, theirs: ExportedTable[], ours: ExportedTable[]): void {
  const byName = (tables: ExportedTable[]) =>
    new Map(tables.map((table) => [table.name, { ...table, ids: table.ids?.column }]));
  const [inFile, inSchema] = [byName(theirs), byName(ours)];
  for (const name of new Set([...inFile.keys(), ...inSchema.keys()])) {
    if (isDeepStrictEqual(inFile.get(name), inSchema.get(name))) continue;
    throw new RefusedInputError(
      `${path} does not fit the schema of its migration: the columns of ${name} differ`,
    );
  }
}

async function insert(
  repository: TablesRepository,
  { path, trailer }: ExportFile,
  onProgress: OnProgress,
): Promise<void> {
  const total = sumOf(trailer.rows);
  let done = 0;
  await readExport(path, async ({ table, rows }) => {
    // The schema refuses rows only if another program wrote the file, with a valid checksum.
    await repository.insert(table, rows).catch((cause: unknown) => {
      if (!(cause instanceof QueryFailedError) || isDatabaseAway(cause.driverError)) throw cause;
      const message = `${path} has rows that ${table.name} does not accept: ${cause.message}`;
      throw new RefusedInputError(message, { cause });
    });
    done += rows.length;
    onProgress('importing', done, total);
  });
}

/** Reads everything back: an export of the database would have the same lines as the file. */
async function verify(
  repository: TablesRepository,
  { headerLine, header, trailer }: ExportFile,
  onProgress: OnProgress,
): Promise<void> {
  const hash = createHash('sha256').update(headerLine);
  const total = sumOf(trailer.rows);
  for await (const { lines, done } of repository.lines(header.tables)) {
    hash.update(lines);
    onProgress('checking', done, total);
  }
  if (hash.digest('hex') !== trailer.sha256) {
    throw new Error('The imported rows differ from the rows in the file; nothing was imported');
  }
}
