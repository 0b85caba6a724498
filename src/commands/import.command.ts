import { Command } from 'commander';
import { checkExport } from '../database/transfer/export-reader.js';
import { ImportService } from '../database/transfer/import.service.js';
import { TransferModule } from '../database/transfer/transfer.module.js';
import { Progress } from './progress.js';
import { transferTable } from './transfer-table.js';
import { withServices } from './with-services.js';

export const importDatabase = new Command('import')
  .description('fill an empty database from a file that export wrote')
  .argument('<file>', 'the file')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: { json?: true }) => {
    // Before anything is opened, or made where there is none.
    const file = await checkExport(path);
    const summary = await withServices([TransferModule], (services) =>
      services.get(ImportService).importFrom(file, new Progress().show),
    );
    process.stdout.write(`${options.json ? JSON.stringify(summary) : transferTable('imported', summary)}\n`);
  });
