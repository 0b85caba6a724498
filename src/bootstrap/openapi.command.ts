import { Command, Option } from 'commander';

/** Writes the OpenAPI document of this code to a file, or fails when the file differs from it. */
export const openapi = new Command('openapi')
  .description('write or check the OpenAPI document that is committed beside the code')
  .addOption(new Option('--out <file>', 'write it').conflicts('check'))
  .option('--check <file>', 'fail when the file differs')
  .action(async (options: { out?: string; check?: string }) => {
    // Loaded only here: the other commands need no HTTP server and should not wait for one.
    const { writeOrCheckDocument } = await import('./document-file.js');
    await writeOrCheckDocument(options);
  });
