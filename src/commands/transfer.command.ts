import { Command } from 'commander';
import { readExport, type TransferSummary } from './transfer/export-file.js';
import { showProgress, transferTable } from './output.js';

interface Options {
  json?: true;
}

export const exportDatabase = new Command('export')
  .description('write the whole database to a new file, also while the service runs')
  .argument('<file>', 'the file, which must not exist yet')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: Options) => {
    const { withDatabase } = await import('./with-service.js');
    const { exportTo } = await import('./transfer/export.js');
    print('exported to', await withDatabase((settings) => exportTo(path, settings, showProgress())), options);
  });

export const importDatabase = new Command('import')
  .description('fill an empty database from an exported file')
  .argument('<file>', 'the file')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: Options) => {
    // Before the database is opened or created.
    const checked = await readExport(path);
    const { withDatabase } = await import('./with-service.js');
    const { importFrom } = await import('./transfer/import.js');
    print(
      'imported',
      await withDatabase((settings) => importFrom(path, checked, settings, showProgress())),
      options,
    );
  });

function print(verb: string, summary: TransferSummary, { json }: Options): void {
  process.stdout.write(`${json ? JSON.stringify(summary) : transferTable(verb, summary)}\n`);
}
