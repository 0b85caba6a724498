import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { createApp } from './configure-app.js';
import { loadConfig } from './config/load-config.js';
import { buildDocument } from './openapi/document.js';
import { createLogger } from './telemetry/logger.js';

/** Writes the OpenAPI document of this code to a file, or fails when the file is not what the code says. */
export const openapi = new Command('openapi')
  .description('write or check the OpenAPI document that is committed beside the code')
  .addOption(new Option('--out <file>', 'write it').conflicts('check'))
  .option('--check <file>', 'fail when the file differs')
  .action(async ({ out, check }: { out?: string; check?: string }) => {
    // The committed document is that of a service without settings.
    const app = await createApp(loadConfig({}), createLogger('silent', process.stderr));
    const text = `${JSON.stringify(buildDocument(app, {}), null, 2)}\n`;
    await app.close();
    if (out !== undefined) writeFileSync(out, text);
    else if (check === undefined) process.stdout.write(text);
    else if (readFileSync(check, 'utf8') !== text) {
      throw new Error(`${check} differs from the code; run npm run openapi and commit it`);
    }
  });
