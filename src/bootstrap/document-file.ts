import { readFileSync, writeFileSync } from 'node:fs';
import { stringifyJson } from '../common/json/stringify-json.js';
import { loadConfig } from '../config/load-config.js';
import { createApp } from './create-app.js';
import { buildDocument } from '../openapi/document.js';
import { createLogger } from '../telemetry/logging/logger.js';

/** Prints the document of a service without settings, writes it to `out`, or throws when `check` differs from it. */
export async function writeOrCheckDocument({ out, check }: { out?: string; check?: string }): Promise<void> {
  const app = await createApp(loadConfig({}), await createLogger('silent', process.stderr));
  const text = `${stringifyJson(buildDocument(app, {}), 2)}\n`;
  await app.close();
  if (out !== undefined) writeFileSync(out, text);
  else if (check === undefined) process.stdout.write(text);
  else if (readFileSync(check, 'utf8') !== text) {
    throw new Error(`${check} differs from the code; run npm run openapi and commit it`);
  }
}
