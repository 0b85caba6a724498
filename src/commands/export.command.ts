import { Command } from 'commander';
import { Progress } from './progress.js';
import { transferTable } from './tables.js';

export const exportDatabase = new Command('export')
  .description('write the whole database to a new file, also while the service runs')
  .argument('<file>', 'the file, which must not exist yet')
  .option('--json', 'print one JSON value instead of a table')
  .action(async (path: string, options: { json?: true }) => {
    // Loaded only here, because help and refused input should not wait for Nest and TypeORM.
    const { ExportService } = await import('../transfer/export.service.js');
    const { TransferModule } = await import('../transfer/transfer.module.js');
    const { withService } = await import('./with-service.js');
    const summary = await withService(TransferModule, ExportService, (service) =>
      service.exportTo(path, new Progress().show),
    );
    process.stdout.write(
      `${options.json ? JSON.stringify(summary) : transferTable('exported to', summary)}\n`,
    );
  });
