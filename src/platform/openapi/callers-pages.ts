import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { declaredErrors, type ErrorKind } from '../common/errors/error-kind.js';

/** The pages for callers below /docs, by path, and the Markdown that each is made from. It is read from beside `src` and `dist`. */
const SOURCES = {
  errors: 'docs/errors.md',
  faq: 'docs/faq.md',
  versioning: 'docs/versioning.md',
  changelog: 'CHANGELOG.md',
};
export type PageName = keyof typeof SOURCES;
const NAMES = Object.keys(SOURCES) as PageName[];
const ERRORS = declaredErrors();

const marked = new Marked({
  walkTokens(token) {
    if (token.type === 'link') token.href = servedHref(String(token.href));
  },
});

/** The HTML of a page for callers. */
export async function htmlOf(name: PageName): Promise<string> {
  const { title, text } = markdownOf(name);
  const navigation = NAMES.map((each) => {
    const current = each === name ? ' aria-current="page"' : '';
    return `<a href="${each}"${current}>${markdownOf(each).title}</a>`;
  });
  const script = name === 'errors' ? '\n    <script src="errors.js" defer></script>' : '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Animal store API</title>
    <link rel="icon" type="image/png" href="favicon-32x32.png" />
    <link rel="stylesheet" href="pages.css" />
    <link rel="stylesheet" href="text.css" />${script}
  </head>
  <body>
    <header>
      <h1>${title}</h1>
      <nav><a href="../docs">API documentation</a> ${navigation.join(' ')} <a href="../console">Console</a></nav>
    </header>
    <main>
      ${name === 'errors' ? await errorsOf(text) : await textOf(text)}
    </main>
  </body>
</html>
`;
}

function markdownOf(name: PageName): { title: string; text: string } {
  const markdown = readFileSync(fileURLToPath(new URL(`../../../${SOURCES[name]}`, import.meta.url)), 'utf8');
  const [, title, text] = /^# ([^\n]*)\n(.*)$/s.exec(markdown) ?? [];
  if (title === undefined || text === undefined) throw new Error(`${SOURCES[name]} has no title`);
  return { title, text };
}

/** Where a link of the Markdown leads below /docs. Callers have no repository, so no other file is linked. */
function servedHref(href: string): string {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', heading] = href.split('#');
  const served = NAMES.find((name) => SOURCES[name].split('/').at(-1) === path.split('/').at(-1));
  if (served === undefined) throw new Error(`a page for callers links to ${href}, which is not served`);
  return heading === undefined ? served : `${served}#${heading}`;
}

/** A wide table scrolls by itself, also from the keyboard. */
async function textOf(markdown: string): Promise<string> {
  const html = await marked.parse(markdown);
  return html
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** An index and an entry for every code instead of the lists of docs/errors.md, and its other text. */
async function errorsOf(text: string): Promise<string> {
  const [introduction = ''] = text.split('\n## Codes\n', 1);
  const between = /<!-- \/overview -->(.*)<!-- details -->/s.exec(text)?.[1] ?? '';
  return `${await textOf(introduction)}
      <div class="layout">
        <section class="index" aria-label="Index">
          <label for="filter" class="note">Filter</label>
          <input id="filter" type="search" placeholder="404, order, retry …" autocomplete="off" spellcheck="false" />
          <details id="codes" open>
            <summary class="note" id="found" role="status">${String(ERRORS.length)} codes</summary>
            <ul>
              ${ERRORS.map(({ code, status }) => `<li><a href="#${code}"><span>${String(status)}</span>${broken(code)}</a></li>`).join('\n              ')}
            </ul>
          </details>
        </section>
        <div>
          ${(await Promise.all(ERRORS.map(entryOf))).join('\n          ')}
        </div>
      </div>
      ${await textOf(between)}`;
}

async function entryOf({ code, status, when, remedy, example }: ErrorKind): Promise<string> {
  // The id lets an error link to /docs/errors#its_code.
  return `<article id="${code}">
            <h2><span>${String(status)}</span><a href="#${code}">${broken(code)}</a></h2>
            <p>${await marked.parseInline(when)}</p>
            <p><strong>What to do:</strong> ${await marked.parseInline(remedy)}</p>
            <p class="note">For example: ${await marked.parseInline(`\`${example}\``)}</p>
          </article>`;
}

/** A long code breaks at its underscores on a phone. */
const broken = (code: string) => code.replaceAll('_', '_<wbr>');
