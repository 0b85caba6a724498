import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';
import { lockDirectory } from './directory.js';
import { PgliteServerError } from './errors.js';
import { openStore, STORE } from './store.js';

const ROWS_PER_INSERT = 500;
/** The comments and settings before the first statement, which are ASCII. */
const HEAD_BYTES = 300;
/** Servers before PostgreSQL 17 do not know it. */
const NEW_SETTING = 'SET transaction_timeout = 0;\n';

/** See `dumpDatabase` of index.ts. */
export async function dump(path: string): Promise<Blob> {
  const directory = resolve(path);
  if (!existsSync(join(directory, STORE))) throw new PgliteServerError(directory, 'holds no database');
  const lock = await lockDirectory(directory, (socket) => socket.destroy());
  try {
    const pg = await openStore(directory);
    try {
      const sql = await pgDump({
        pg,
        args: ['--no-owner', '--no-privileges', `--rows-per-insert=${ROWS_PER_INSERT}`],
      });
      const head = await sql.slice(0, HEAD_BYTES).text();
      return new Blob([head.replace(NEW_SETTING, ''), sql.slice(HEAD_BYTES)]);
    } finally {
      await pg.close();
    }
  } finally {
    await lock.release();
  }
}
