import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import {
  headerLine,
  type OnProgress,
  type RowCounts,
  sumOf,
  trailerLine,
  type TransferSummary,
} from './export-format.js';
import { inLongTransaction, type LongTransaction } from './long-transaction.js';
import { TablesRepository } from './tables.repository.js';

// The file holds names and hashes of keys, so only its owner may read it.
const OWNER_ONLY = 0o600;

/**
 * Writes a snapshot of the whole database into a new file, and removes it again on failure.
 *
 * @throws RefusedInputError when the file exists or cannot be created.
 */
export async function exportTo(
  path: string,
  settings: DatabaseSettings,
  onProgress: OnProgress,
): Promise<TransferSummary> {
  // Never overwrites a file, which may be the only other copy.
  const file = await open(path, 'wx', OWNER_ONLY).catch((cause: unknown) => {
    throw new RefusedInputError(`Cannot write the file: ${(cause as Error).message}`, { cause });
  });
  try {
    const summary = await inLongTransaction(settings, 'REPEATABLE READ', (transaction) =>
      write(file, transaction, onProgress),
    );
    await file.sync();
    return { file: resolve(path), ...summary };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function write(
  file: FileHandle,
  { queryRunner, migrations }: LongTransaction,
  onProgress: OnProgress,
): Promise<Omit<TransferSummary, 'file'>> {
  const hash = createHash('sha256');
  const append = async (lines: string): Promise<void> => {
    hash.update(lines);
    await file.writeFile(lines);
  };
  const repository = new TablesRepository(queryRunner);
  const migration = migrations.at(-1) ?? '';
  const tables = await repository.list();
  await append(headerLine({ migration, tables }));
  const rows: RowCounts = {};
  for (const table of tables) rows[table.name] = await repository.count(table);
  const total = sumOf(rows);
  for await (const { lines, done } of repository.lines(tables)) {
    await append(lines);
    onProgress('exporting', done, total);
  }
  const sha256 = hash.digest('hex');
  await file.writeFile(trailerLine({ rows, sha256 }));
  return { migration, rows, sha256 };
}
