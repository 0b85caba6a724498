import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS_DOCUMENT, errorsDocument } from './errors-page.js';

/* `npm run errors` writes the tables of docs/errors.md; with `--check` it fails when they differ from the code. */
const text = await errorsDocument();
if (!process.argv.includes('--check')) writeFileSync(ERRORS_DOCUMENT, text);
else if (readFileSync(ERRORS_DOCUMENT, 'utf8') !== text) {
  console.error('docs/errors.md differs from the code; run npm run errors and commit it');
  process.exitCode = 1;
}
