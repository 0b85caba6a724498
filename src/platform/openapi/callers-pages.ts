import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';
import { declaredErrors, type ErrorKind } from '../common/errors/error-kind.js';
import { escaped, pageOf } from '../http/pages/layout.js';

/** The pages for callers below /docs, by path, and the Markdown that each is made from. It is read from beside `src` and `dist`. */
const SOURCES = {
  start: 'docs/start.md',
  errors: 'docs/errors.md',
  faq: 'docs/faq.md',
  versioning: 'docs/versioning.md',
  changelog: 'CHANGELOG.md',
};
export type PageName = keyof typeof SOURCES;
const NAMES = Object.keys(SOURCES) as PageName[];
const ERRORS = declaredErrors();
/** The address of the service in the Markdown. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';
/** A page with more headings begins with a list of them. */
const MOST_HEADINGS_WITHOUT_CONTENTS = 3;

const marked = new Marked({
  walkTokens(token) {
    if (token.type === 'link') token.href = servedHref(String(token.href));
  },
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${String(depth)} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${String(depth)}>\n`;
    },
  },
});

/** The anchor of a heading, as GitHub makes it: the Markdown links to it. */
const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The HTML of a page for callers. `address`: that of the service, where it is known. */
export async function htmlOf(name: PageName, address = EXAMPLE_ADDRESS): Promise<string> {
  const { title, text } = markdownOf(name, address);
  const scripts = { errors: ['errors.js'], start: ['start.js'] } as Partial<Record<PageName, string[]>>;
  return pageOf({
    title,
    root: '../',
    current: `docs/${name}`,
    content: `<main${address === EXAMPLE_ADDRESS ? ` data-example-address="${EXAMPLE_ADDRESS}"` : ''}>
      ${name === 'errors' ? await errorsOf(text) : contentsOf(text) + (await textOf(text))}
    </main>`,
    head: ['<link rel="stylesheet" href="text.css" />'],
    ...(scripts[name] && { scripts: scripts[name] }),
  });
}

/** Links to the headings of a page; empty for a short one. */
function contentsOf(markdown: string): string {
  const headings = marked
    .lexer(markdown)
    .filter((token): token is Tokens.Heading => token.type === 'heading');
  if (headings.length <= MOST_HEADINGS_WITHOUT_CONTENTS) return '';
  const links = headings.map(
    ({ text }) => `<li><a href="#${idOf(text)}">${marked.parseInline(text) as string}</a></li>`,
  );
  return `<nav class="contents" aria-label="Contents"><ul>${links.join('')}</ul></nav>`;
}

function markdownOf(name: PageName, address: string): { title: string; text: string } {
  const markdown = readFileSync(fileURLToPath(new URL(`../../../${SOURCES[name]}`, import.meta.url)), 'utf8');
  const [, title, text] = /^# ([^\n]*)\n(.*)$/s.exec(markdown) ?? [];
  if (title === undefined || text === undefined) throw new Error(`${SOURCES[name]} has no title`);
  return { title, text: text.replaceAll(EXAMPLE_ADDRESS, address) };
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
          <p id="nothing" hidden>No code has all of these words. <button type="button">Show all codes</button></p>
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
            <pre tabindex="0"><code>${escaped(JSON.stringify({ code, message: example, status }, null, 2))}</code></pre>
          </article>`;
}

/** A long code breaks at its underscores on a phone. */
const broken = (code: string) => code.replaceAll('_', '_<wbr>');
