import { Command } from 'commander';
import type { Config } from '../config/config.js';
import type { DatabaseSettings } from '../database/data-source.js';
import type { TransferSummary } from '../transfer/export-format.js';
import { checkExport } from '../transfer/export-reader.js';
import { showProgress, transferTable } from './output.js';

interface Options {
  json?: true;
}

export const exportDatabase = new Command('export')
  .description('write the whole database to a new file, also while the service runs')
  .argument('<file>', 'the file, which must not exist yet')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: Options) => {
    const { exportTo } = await import('../transfer/export.js');
    await run('exported to', options, (database) => exportTo(path, database, showProgress()));
  });

export const importDatabase = new Command('import')
  .description('fill an empty database from an exported file')
  .argument('<file>', 'the file')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: Options) => {
    // Before the database is opened or created.
    const file = await checkExport(path);
    const { importFrom } = await import('../transfer/import.js');
    await run('imported', options, (database) => importFrom(file, database, showProgress()));
  });

/** Loads Nest and TypeORM only here, because help and refused input should not wait for them. */
async function run(
  verb: string,
  { json }: Options,
  work: (database: DatabaseSettings) => Promise<TransferSummary>,
): Promise<void> {
  const { CONFIG } = await import('../config/config.js');
  const { DatabaseModule } = await import('../database/database.module.js');
  const { withService } = await import('./with-service.js');
  const summary = await withService<Config, TransferSummary>(DatabaseModule, CONFIG, ({ database }) =>
    work(database),
  );
  process.stdout.write(`${json ? JSON.stringify(summary) : transferTable(verb, summary)}\n`);
}
