import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

/* Makes the page behind /docs/errors of docs/errors.md, a part of the build: each code is a place to link to. */
const root = new URL('../', import.meta.url);
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = text.toLowerCase().replaceAll(/[^\w]+/g, '-');
      return `<h${depth} id="${depth === 2 && /^\w+$/.test(text) ? text : id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});
const body = await marked.parse(readFileSync(fileURLToPath(new URL('docs/errors.md', root)), 'utf8'));
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Errors · Animal store API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/errors.css" />
  </head>
  <body>
    <p><a href="/docs">API documentation</a></p>
    ${body}
  </body>
</html>
`;
writeFileSync(fileURLToPath(new URL('dist/openapi/page/errors.html', root)), page);
