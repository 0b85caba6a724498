import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { format } from 'prettier';
import { ERRORS, type ErrorCode } from '../src/platform/common/errors/errors.js';

/** The path of docs/errors.md, whose codes come from the error table in the code. */
export const ERRORS_DOCUMENT = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** docs/errors.md with its lists filled from the error table. */
export async function errorsDocument(): Promise<string> {
  const links = (codes: ErrorCode[]) => codes.map((code) => `[\`${code}\`](#${code})`).join(', ');
  const overview = [...Map.groupBy(CODES, (code) => ERRORS[code].status)]
    .map(([status, codes]) => `- ${String(status)}: ${links(codes)}`)
    .join('\n');
  const current = readFileSync(ERRORS_DOCUMENT, 'utf8');
  const complete = filled(
    filled(current, 'overview', overview),
    'details',
    CODES.map(sectionOf).join('\n\n'),
  );
  return format(complete, { parser: 'markdown' });
}

/** The HTML page behind /docs/errors: an entry for every code instead of the lists of docs/errors.md, and its other text. */
export async function errorsPage(): Promise<string> {
  const document = readFileSync(ERRORS_DOCUMENT, 'utf8');
  const [title, introduction] = splitAfter(await htmlOf(document.split('\n## Codes\n', 1)[0] ?? ''), '</h1>');
  const between = /<!-- \/overview -->(.*)<!-- details -->/s.exec(document)?.[1] ?? '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Errors · Animal store API</title>
    <link rel="icon" type="image/png" href="favicon-32x32.png" />
    <link rel="stylesheet" href="pages.css" />
    <link rel="stylesheet" href="errors.css" />
    <script src="errors.js" defer></script>
  </head>
  <body>
    <header>
      ${title}
      <nav><a href="../docs">API documentation</a> <a href="errors" aria-current="page">Errors</a> <a href="../usage">Usage</a> <a href="../keys">Keys</a></nav>
    </header>
    <main>
      ${introduction}
      <div class="layout">
        <section class="index" aria-label="Index">
          <label for="filter" class="note">Filter</label>
          <input id="filter" type="search" placeholder="404, order, retry …" autocomplete="off" spellcheck="false" />
          <details id="codes" open>
            <summary class="note" id="found" role="status">${String(CODES.length)} codes</summary>
            <ul>
              ${CODES.map((code) => `<li><a href="#${code}"><span>${String(ERRORS[code].status)}</span>${broken(code)}</a></li>`).join('\n              ')}
            </ul>
          </details>
        </section>
        <div>
          ${(await Promise.all(CODES.map(entryOf))).join('\n          ')}
        </div>
      </div>
      ${await htmlOf(between)}
    </main>
  </body>
</html>
`;
}

/** A wide table scrolls by itself, also from the keyboard. */
async function htmlOf(markdown: string): Promise<string> {
  const html = await marked.parse(markdown);
  return html
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

async function entryOf(code: ErrorCode): Promise<string> {
  const { status, when, remedy, example } = ERRORS[code];
  // The id lets an error link to /docs/errors#its_code.
  return `<article id="${code}">
            <h2><span>${String(status)}</span><a href="#${code}">${broken(code)}</a></h2>
            <p>${await marked.parseInline(when)}</p>
            <p><strong>What to do:</strong> ${await marked.parseInline(remedy)}</p>
            <p class="note">For example: ${await marked.parseInline(`\`${example}\``)}</p>
          </article>`;
}

/** A long code breaks at its underscores on a phone. */
const broken = (code: ErrorCode) => code.replaceAll('_', '_<wbr>');

function splitAfter(text: string, mark: string): [string, string] {
  const end = text.indexOf(mark) + mark.length;
  return [text.slice(0, end), text.slice(end)];
}

function sectionOf(code: ErrorCode): string {
  const { status, when, remedy, example } = ERRORS[code];
  return `## ${code}\n\nHTTP ${String(status)}: ${when}\n\nWhat to do: ${remedy}\n\nFor example: \`${example}\``;
}

/** The text with the part between two marks replaced. */
function filled(text: string, mark: string, content: string): string {
  const [before, rest] = text.split(`<!-- ${mark} -->`);
  const after = rest?.split(`<!-- /${mark} -->`)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/errors.md has no mark ${mark}`);
  return `${before}<!-- ${mark} -->\n\n${content}\n\n<!-- /${mark} -->${after}`;
}
