/** The dress of every page that is not built by packages/console: product name, navigation, title. */
interface Layout {
  title: string;
  /** The HTML below the title. */
  content: string;
  /** How the page's address leads to the root of the service, which may be below a prefix that a proxy strips: '', '../' or a path. */
  root: string;
  /** The page's own address in the navigation, where it is there. */
  current?: string;
  /** Further elements of the head, and scripts at the end of the body. */
  head?: string[];
  scripts?: string[];
}

const PRODUCT = 'Animal store';
const HOME = 'docs';

/** The groups of the navigation, as the console has them. Addresses are below the root of the service. */
const NAVIGATION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Learn: {
    'docs/start': 'Get started',
    docs: 'API documentation',
    'docs/errors': 'Errors',
    'docs/faq': 'Questions',
    'docs/versioning': 'Versioning',
    'docs/changelog': 'Changelog',
  },
  'My key': { 'console#/my-key': 'Limits and usage', 'console#/webhooks': 'Webhooks' },
  Store: { 'console#/orders': 'Orders', 'console#/animals': 'Animals', console: 'Console' },
};

/** The HTML of a page. */
export function pageOf({ title, content, root, current, head = [], scripts = [] }: Layout): string {
  const linkTo = ([address, text]: [string, string]) =>
    `<a href="${root}${address}"${address === current ? ' aria-current="page"' : ''}>${text}</a>`;
  const groups = Object.entries(NAVIGATION).map(
    ([name, links]) =>
      `<p><span class="note">${name}</span> ${Object.entries(links).map(linkTo).join(' ')}</p>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · ${PRODUCT}</title>
    <link rel="icon" type="image/png" href="${root}docs/favicon-32x32.png" />
    <link rel="stylesheet" href="${root}docs/pages.css" />
    ${head.join('\n    ')}
  </head>
  <body>
    <header>
      <a class="home" href="${root}${HOME}">${PRODUCT}</a>
      <nav aria-label="Pages">
        ${groups.join('\n        ')}
      </nav>
    </header>
    <h1>${title}</h1>
    ${content}
    ${scripts.map((name) => `<script src="${root}docs/${name}"></script>`).join('\n    ')}
  </body>
</html>
`;
}

/** Text as HTML that shows it. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
