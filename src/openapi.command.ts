import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { stringifyJson } from './platform/common/json.js';
import { loadConfig } from './platform/config/load-config.js';

/** Prints the OpenAPI document of this code, writes it to a file, or fails when a file differs from it. */
export const openapi = new Command('openapi')
  .description('write or check the OpenAPI document that is committed beside the code')
  .addOption(new Option('--out <file>', 'write it').conflicts('check'))
  .option('--check <file>', 'fail when the file differs')
  .action(async ({ out, check }: { out?: string; check?: string }) => {
    const text = await documentOfCode();
    if (out !== undefined) writeFileSync(out, text);
    else if (check === undefined) process.stdout.write(text);
    else if (readFileSync(check, 'utf8') !== text) {
      throw new Error(`${check} differs from the code; run npm run openapi and commit it`);
    }
  });

/** The document of a service without settings. */
async function documentOfCode(): Promise<string> {
  // Loaded only here: the other commands need no HTTP server and should not wait for one.
  const { createApp } = await import('./create-app.js');
  const { apiDocument } = await import('./api-document.js');
  const { createLogger } = await import('./platform/telemetry/logging/logger.js');
  const app = await createApp(loadConfig({}), await createLogger('silent', process.stderr));
  const document = apiDocument(app, {});
  await app.close();
  return `${stringifyJson(document, 2)}\n`;
}
