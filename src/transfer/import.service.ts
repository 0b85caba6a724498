import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { isDatabaseAway } from '../database/database.errors.js';
import {
  type ExportedTable,
  frameOfRow,
  type OnProgress,
  type RowCounts,
  sumOf,
  type TransferSummary,
} from './export-format.js';
import { type CheckedExport, rowBatches } from './export-reader.js';
import { inLongTransaction, type LongTransaction } from './long-transaction.js';
import { TablesRepository } from './tables.repository.js';
import { newerSchema, notEmpty, otherTables, rowsRefused } from './transfer.errors.js';

/** Fills an empty database from a file in one transaction. */
@Injectable()
export class ImportService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws RefusedInputError when the database is not empty or the file does not fit its schema. */
  async importFrom(file: CheckedExport, onProgress: OnProgress): Promise<TransferSummary> {
    const { path, header, trailer } = file;
    await inLongTransaction(this.config.database, 'READ COMMITTED', (transaction) =>
      this.fill(file, transaction, onProgress),
    );
    return { file: path, migration: header.migration, ...trailer };
  }

  private async fill(
    file: CheckedExport,
    { queryRunner, migrations }: LongTransaction,
    onProgress: OnProgress,
  ): Promise<void> {
    const { path, header } = file;
    const tables = new TablesRepository(queryRunner);
    await refuseRows(tables);
    const last = migrations.findIndex(({ name }) => name === header.migration);
    if (last === -1) throw newerSchema(path, header.migration);
    // Rows go into the schema they came from. The later migrations then run on the rows too.
    const since = migrations.slice(last + 1);
    for (const { migration } of since.toReversed()) await migration.down(queryRunner);
    refuseOtherTables(path, header.tables, await tables.list());
    await insert(tables, file, onProgress);
    await verify(tables, file, onProgress);
    for (const table of header.tables) await tables.continueIds(table);
    for (const { migration } of since) await migration.up(queryRunner);
    for (const table of await tables.list()) await tables.analyze(table);
  }
}

async function refuseRows(repository: TablesRepository): Promise<void> {
  const tables = await repository.list();
  await repository.lockTables(tables);
  for (const table of tables) if (await repository.hasRows(table)) throw notEmpty(table.name);
}

/** Columns may have another order; nothing else may differ. */
function refuseOtherTables(
  path: string,
  theirs: readonly ExportedTable[],
  ours: readonly ExportedTable[],
): void {
  const names = new Set([...theirs, ...ours].map(({ name }) => name));
  for (const name of names) {
    const [their, our] = [theirs, ours].map((tables) => tables.find((table) => table.name === name));
    if (!their || !our)
      throw otherTables(path, `only ${their ? 'the file' : 'the schema'} has a table ${name}`);
    const isSame =
      isDeepStrictEqual(their.columns, our.columns) &&
      isDeepStrictEqual(their.key, our.key) &&
      their.ids?.column === our.ids?.column;
    if (!isSame) throw otherTables(path, `the columns of ${name} differ`);
  }
}

async function insert(
  repository: TablesRepository,
  { path, header, trailer }: CheckedExport,
  onProgress: OnProgress,
): Promise<void> {
  const total = sumOf(trailer.rows);
  let done = 0;
  for await (const { table, rows } of rowBatches(path, header.tables)) {
    // The schema refuses rows only if another program wrote the file, with a valid checksum.
    await repository.insert(table, rows).catch((error: unknown) => {
      if (!(error instanceof QueryFailedError) || isDatabaseAway(error.driverError)) throw error;
      throw rowsRefused(path, table.name, error);
    });
    done += rows.length;
    onProgress('importing', done, total);
  }
}

/** Reads everything back: an export of the database would have the same lines as the file. */
async function verify(
  repository: TablesRepository,
  { headerLine, header, trailer }: CheckedExport,
  onProgress: OnProgress,
): Promise<void> {
  const hash = createHash('sha256').update(headerLine).update('\n');
  const counts: RowCounts = {};
  const total = sumOf(trailer.rows);
  let done = 0;
  for (const table of header.tables) {
    const { before, after } = frameOfRow(table.name);
    counts[table.name] = 0;
    for await (const rows of repository.rows(table)) {
      for (const json of rows) hash.update(`${before}${json}${after}\n`);
      done += rows.length;
      counts[table.name] = (counts[table.name] ?? 0) + rows.length;
      onProgress('checking', done, total);
    }
  }
  if (!isDeepStrictEqual(counts, trailer.rows) || hash.digest('hex') !== trailer.sha256) {
    throw new Error('The imported rows differ from the rows in the file; nothing was imported');
  }
}
