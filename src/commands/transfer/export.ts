import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import type { DatabaseSettings } from '../../platform/database/data-source.js';
import { FORMAT, type Header, type OnProgress, rowLine, ROWS_PER_BATCH } from './export-file.js';
import { sumOf, type Trailer, type TransferSummary } from './export-file.js';
import { inTransaction } from './tables.js';

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
  const hash = createHash('sha256');
  const append = async (text: string) => {
    hash.update(text);
    await file.writeFile(text);
  };
  try {
    const summary = await inTransaction(
      settings,
      'REPEATABLE READ',
      async ({ manager, migration, tables }) => {
        const nextIds: Header['nextIds'] = {};
        const rows: Trailer['rows'] = {};
        for (const { name, quoted, sequence } of tables) {
          const [found] = await manager.query<{ count: bigint }[]>(`select count(*) as count from ${quoted}`);
          rows[name] = Number(found?.count);
          const nextId = `select (last_value::numeric + is_called::int)::text as id from ${sequence ?? ''}`;
          if (sequence !== null)
            nextIds[name] = (await manager.query<{ id: string }[]>(nextId))[0]?.id ?? '1';
        }
        await append(`${JSON.stringify({ ...FORMAT, migration, exportedAt: new Date(), nextIds })}\n`);
        let done = 0;
        for (const { name, quoted, columns, order } of tables) {
          await manager.query(`declare exported no scroll cursor for
          select row_to_json((select r from (select ${columns}) r))::text as json from ${quoted} order by ${order}`);
          const fetch = () => manager.query<{ json: string }[]>(`fetch ${ROWS_PER_BATCH} from exported`);
          for (let batch = await fetch(); batch.length > 0; batch = await fetch()) {
            await append(batch.map(({ json }) => rowLine(name, json)).join(''));
            onProgress('exporting', (done += batch.length), sumOf(rows));
          }
          await manager.query('close exported');
        }
        const trailer: Trailer = { rows, sha256: hash.digest('hex') };
        await file.writeFile(`${JSON.stringify(trailer)}\n`);
        return { migration, ...trailer };
      },
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
