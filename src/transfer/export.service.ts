import { resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import {
  frameOfRow,
  headerLine,
  type OnProgress,
  type RowCounts,
  sumOf,
  trailerLine,
  type TransferSummary,
} from './export-format.js';
import { ExportWriter } from './export-writer.js';
import { inLongTransaction, type LongTransaction } from './long-transaction.js';
import { TablesRepository } from './tables.repository.js';

/** Writes a snapshot of the whole database into one file. */
@Injectable()
export class ExportService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Removes the file again on failure. @throws RefusedInputError when the file exists or cannot be created. */
  async exportTo(path: string, onProgress: OnProgress): Promise<TransferSummary> {
    const file = await ExportWriter.create(path);
    try {
      const summary = await inLongTransaction(this.config.database, 'REPEATABLE READ', (transaction) =>
        this.write(file, transaction, onProgress),
      );
      await file.finish();
      return { file: resolve(path), ...summary };
    } catch (error) {
      await file.abandon();
      throw error;
    }
  }

  private async write(
    file: ExportWriter,
    { queryRunner, migrations }: LongTransaction,
    onProgress: OnProgress,
  ): Promise<Omit<TransferSummary, 'file'>> {
    const repository = new TablesRepository(queryRunner);
    const migration = migrations.at(-1)?.name ?? '';
    const tables = await repository.list();
    await file.write([headerLine({ migration, tables }, new Date())]);
    const rows: RowCounts = {};
    for (const table of tables) rows[table.name] = await repository.count(table);
    const total = sumOf(rows);
    let done = 0;
    for (const table of tables) {
      const { before, after } = frameOfRow(table.name);
      for await (const batch of repository.rows(table)) {
        await file.write(batch.map((json) => before + json + after));
        done += batch.length;
        onProgress('exporting', done, total);
      }
    }
    const { sha256 } = file;
    await file.write([trailerLine({ rows, sha256 })]);
    return { migration, rows, sha256 };
  }
}
