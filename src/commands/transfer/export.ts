import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RefusedInputError } from '../../platform/common/errors/refused-input-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { FORMAT, type OnProgress, rowLine, ROWS_PER_BATCH, type TransferSummary } from './export-file.js';
import { inTransaction, type Tables } from './tables.js';

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
  // Never overwrites a file, which may be the only other copy. Only its owner may read it: it holds names and hashes of keys.
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new RefusedInputError(`Cannot write the file: ${(cause as Error).message}`, { cause });
  });
  const hash = createHash('sha256');
  const append = async (text: string) => {
    hash.update(text);
    await file.writeFile(text);
  };
  const write = async ({ manager, migration, tables }: Tables) => {
    const nextIds: Record<string, string> = {};
    const rows: Record<string, number> = {};
    const read = async (what: string) =>
      (await manager.query<[{ value: string }]>(`select ${what}`))[0].value;
    let total = 0;
    for (const { name, sequence } of tables) {
      total += rows[name] = Number(await read(`count(*)::text as value from "${name}"`));
      // Not together with the table, which Citus may read on a worker, whose sequence has other values.
      const nextId = `(coalesce(pg_sequence_last_value(${sequence ?? 'null'}), 0)::numeric + 1)::text`;
      if (sequence) nextIds[name] = await read(`${nextId} as value`);
    }
    await append(`${JSON.stringify({ ...FORMAT, migration, exportedAt: new Date(), nextIds })}\n`);
    let done = 0;
    for (const { name, columns, order } of tables) {
      await manager.query(`declare exported no scroll cursor for
        select row_to_json((select r from (select ${columns}) r))::text as json from "${name}" order by ${order}`);
      const fetch = () => manager.query<{ json: string }[]>(`fetch ${ROWS_PER_BATCH} from exported`);
      for (let batch = await fetch(); batch.length > 0; batch = await fetch()) {
        await append(batch.map(({ json }) => rowLine(name, json)).join(''));
        onProgress('exporting', (done += batch.length), total);
      }
      await manager.query('close exported');
    }
    const trailer = { rows, sha256: hash.digest('hex') };
    await file.writeFile(`${JSON.stringify(trailer)}\n`);
    await file.sync();
    return { file: resolve(path), migration, ...trailer };
  };
  try {
    return await inTransaction(settings, 'REPEATABLE READ', write);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
