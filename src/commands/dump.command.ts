import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { RefusedInputError } from '../platform/common/errors/refused-input-error.js';
import { readConfig } from '../platform/config/load-config.js';

export const dump = new Command('dump')
  .description('write the embedded database as SQL for psql, while the service is stopped')
  .action(async () => {
    const { server, dataDir } = (await readConfig()).database;
    if (server) throw new RefusedInputError('DATABASE_URL is set: dump that database with pg_dump');
    const { dumpDatabase } = await import('animal-store-pglite-server');
    const sql = await dumpDatabase(dataDir);
    await pipeline(Readable.fromWeb(sql.stream()), process.stdout, { end: false });
  });
