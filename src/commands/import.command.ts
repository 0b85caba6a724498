import { Command } from 'commander';
import { checkExport } from '../transfer/export-reader.js';
import { ImportService } from '../transfer/import.service.js';
import { TransferModule } from '../transfer/transfer.module.js';
import { Progress } from './progress.js';
import { transferTable } from './tables.js';
import { withServices } from './with-services.js';

export const importDatabase = new Command('import')
  .description('fill an empty database from an exported file')
  .argument('<file>', 'the file')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: { json?: true }) => {
    // Before the database is opened or created.
    const file = await checkExport(path);
    const summary = await withServices([TransferModule], (services) =>
      services.get(ImportService).importFrom(file, new Progress().show),
    );
    process.stdout.write(`${options.json ? JSON.stringify(summary) : transferTable('imported', summary)}\n`);
  });
