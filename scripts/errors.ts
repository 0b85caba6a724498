import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import type { ErrorKind } from '../src/platform/common/errors/error-kind.js';
import { allErrors } from './declared-errors.js';

/* `npm run errors` writes the lists of docs/errors.md; with `--check` it fails when they differ from the code. */
const PATH = fileURLToPath(new URL('../docs/errors.md', import.meta.url));
const ERRORS = await allErrors();

const current = readFileSync(PATH, 'utf8');
const complete = await completed(current);
if (!process.argv.includes('--check')) writeFileSync(PATH, complete);
else if (complete !== current) {
  console.error('docs/errors.md differs from the code; run npm run errors and commit it');
  process.exitCode = 1;
}

/** The page with its lists filled from the error table. */
async function completed(page: string): Promise<string> {
  const links = (kinds: ErrorKind[]) => kinds.map(({ code }) => `[\`${code}\`](#${code})`).join(', ');
  const overview = [...Map.groupBy(ERRORS, ({ status }) => status)]
    .map(([status, kinds]) => `- ${String(status)}: ${links(kinds)}`)
    .join('\n');
  const details = ERRORS.map(sectionOf).join('\n\n');
  return format(filled(filled(page, 'overview', overview), 'details', details), { parser: 'markdown' });
}

function sectionOf({ code, status, when, remedy }: ErrorKind): string {
  return `## ${code}\n\nHTTP ${String(status)}: ${when}\n\nWhat to do: ${remedy}`;
}

/** The text with the part between two marks replaced. */
function filled(text: string, mark: string, content: string): string {
  const [before, rest] = text.split(`<!-- ${mark} -->`);
  const after = rest?.split(`<!-- /${mark} -->`)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/errors.md has no mark ${mark}`);
  return `${before}<!-- ${mark} -->\n\n${content}\n\n<!-- /${mark} -->${after}`;
}
