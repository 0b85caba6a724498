import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { format } from 'prettier';
import { ERRORS, type ErrorCode } from '../src/platform/common/errors/errors.js';

/** The path of docs/errors.md, whose tables come from the error table in the code. */
export const ERRORS_DOCUMENT = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

const marked = new Marked({
  renderer: {
    // A code is its heading's id as it stands, so that an error can link to /docs/errors#its_code.
    heading({ tokens, depth, text }) {
      const isCode = depth === 2 && text in ERRORS;
      const id = isCode ? text : text.toLowerCase().replaceAll(/[^\w]+/g, '-');
      return `<h${String(depth)} id="${id}">${this.parser.parseInline(tokens)}</h${String(depth)}>\n`;
    },
  },
});

/** docs/errors.md with its tables filled from the error table. */
export async function errorsDocument(): Promise<string> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const rows = codes.map((code) => {
    const { status, when } = ERRORS[code];
    const firstSentence = /^.*?(?:\.(?= )|\.$)/.exec(when)?.[0] ?? when;
    return `| ${String(status)} | [\`${code}\`](#${code}) | ${firstSentence} |`;
  });
  const overview = ['| HTTP | Code | When |', '| --- | --- | --- |', ...rows].join('\n');
  const current = readFileSync(ERRORS_DOCUMENT, 'utf8');
  const complete = filled(
    filled(current, 'overview', overview),
    'details',
    codes.map(sectionOf).join('\n\n'),
  );
  return format(complete, { parser: 'markdown' });
}

/** The HTML page behind /docs/errors, made from docs/errors.md. */
export async function errorsPage(): Promise<string> {
  const body = fittedToPhones(await marked.parse(readFileSync(ERRORS_DOCUMENT, 'utf8')));
  const [title, rest] = splitAfter(body, '</h1>');
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
  </head>
  <body>
    <header>
      ${title}
      <nav><a href="../docs">API documentation</a> <a href="errors" aria-current="page">Errors</a> <a href="../usage">Usage</a> <a href="../keys">Keys</a></nav>
    </header>
    <main>
      ${rest}
    </main>
  </body>
</html>
`;
}

/** A wide table scrolls by itself, also from the keyboard, and a long name breaks at its underscores. */
function fittedToPhones(html: string): string {
  return html
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<code>[^<]*/g, (code) => code.replaceAll('_', '_<wbr>'));
}

function splitAfter(text: string, mark: string): [string, string] {
  const end = text.indexOf(mark) + mark.length;
  return [text.slice(0, end), text.slice(end)];
}

function sectionOf(code: ErrorCode): string {
  const { status, when, remedy, example } = ERRORS[code];
  const body = JSON.stringify({ code, message: example, status }, null, 2);
  return `## ${code}\n\nHTTP status: ${String(status)}\n\nWhen: ${when}\n\nWhat to do: ${remedy}\n\n\`\`\`json\n${body}\n\`\`\``;
}

/** The text with the part between two marks replaced. */
function filled(text: string, mark: string, content: string): string {
  const [before, rest] = text.split(`<!-- ${mark} -->`);
  const after = rest?.split(`<!-- /${mark} -->`)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/errors.md has no mark ${mark}`);
  return `${before}<!-- ${mark} -->\n\n${content}\n\n<!-- /${mark} -->${after}`;
}
