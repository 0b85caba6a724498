import { Command } from 'commander';
import { ExportService } from '../transfer/export.service.js';
import { TransferModule } from '../transfer/transfer.module.js';
import { Progress } from './progress.js';
import { transferTable } from './tables.js';
import { withServices } from './with-services.js';

export const exportDatabase = new Command('export')
  .description('write the whole database to a new file, also while the service runs')
  .argument('<file>', 'the file, which must not exist yet')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: { json?: true }) => {
    const summary = await withServices([TransferModule], (services) =>
      services.get(ExportService).exportTo(path, new Progress().show),
    );
    process.stdout.write(
      `${options.json ? JSON.stringify(summary) : transferTable('exported to', summary)}\n`,
    );
  });
