import { readFileSync, writeFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { Command, Option } from 'commander';
import type { Logger } from 'pino';
import { stringifyJson } from '../platform/common/json.js';
import type { Config } from '../platform/config/config.js';
import { loadConfig } from '../platform/config/load-config.js';
import type { Environments } from '../platform/openapi/document.js';

/** What the document is made from. */
export interface DocumentedApp {
  createApp: (config: Config, logger: Logger) => Promise<INestApplication>;
  apiDocument: (app: INestApplication, environments: Environments) => object;
}

/**
 * Prints the OpenAPI document of this code, writes it to a file, or fails when a file differs from it. `loadApp`: imports the
 * application; the other commands need no HTTP server and should not wait for one.
 */
export const openapi = (loadApp: () => Promise<DocumentedApp>) =>
  new Command('openapi')
    .description('write or check the OpenAPI document that is committed beside the code')
    .addOption(new Option('--out <file>', 'write it').conflicts('check'))
    .option('--check <file>', 'fail when the file differs')
    .action(async ({ out, check }: { out?: string; check?: string }) => {
      const text = await documentOf(await loadApp());
      if (out !== undefined) writeFileSync(out, text);
      else if (check === undefined) process.stdout.write(text);
      else if (readFileSync(check, 'utf8') !== text) {
        throw new Error(`${check} differs from the code; run npm run openapi and commit it`);
      }
    });

/** The document of a service without settings. */
async function documentOf({ createApp, apiDocument }: DocumentedApp): Promise<string> {
  const { createLogger } = await import('../platform/telemetry/logging/logger.js');
  const app = await createApp(loadConfig({}), await createLogger('silent', process.stderr));
  const document = apiDocument(app, {});
  await app.close();
  return `${stringifyJson(document, 2)}\n`;
}
