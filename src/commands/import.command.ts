import { Command } from 'commander';
import { checkExport } from '../transfer/export-reader.js';
import { Progress } from './progress.js';
import { transferTable } from './tables.js';

export const importDatabase = new Command('import')
  .description('fill an empty database from an exported file')
  .argument('<file>', 'the file')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: { json?: true }) => {
    // Before the database is opened or created.
    const file = await checkExport(path);
    // Loaded only here, because help and refused input should not wait for Nest and TypeORM.
    const { ImportService } = await import('../transfer/import.service.js');
    const { TransferModule } = await import('../transfer/transfer.module.js');
    const { withService } = await import('./with-service.js');
    const summary = await withService(TransferModule, ImportService, (service) =>
      service.importFrom(file, new Progress().show),
    );
    process.stdout.write(`${options.json ? JSON.stringify(summary) : transferTable('imported', summary)}\n`);
  });
