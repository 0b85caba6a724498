import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import type { Links } from '../http/responses/links.js';
import { OPEN_ROUTE, serveContent, servePage, SHARED_STYLE } from '../http/pages/pages.js';
import { JSON_MEDIA_TYPE, stringifyJson } from '../common/json.js';
import { pageOf } from '../http/pages/layout.js';
import type { PageName } from './callers-pages.js';

const PAGE_FOLDER = fileURLToPath(new URL('./page/', import.meta.url));
/** What changes Swagger UI; the last one starts it. */
const SWAGGER_SCRIPTS = ['references.js', 'operations.js', 'inputs.js', 'key.js', 'responses.js', 'page.js'];
const PAGE_FILES = ['theme.js', ...SWAGGER_SCRIPTS, 'page.css', 'text.css', 'errors.js', 'start.js'];
const CALLERS_PAGES: PageName[] = ['start', 'errors', 'faq', 'versioning', 'changelog'];
const FAVICON = 'favicon-32x32.png';
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', FAVICON];

/** Serves Swagger UI at /docs and the document as JSON and YAML, without files from other hosts. */
export function serveDocs(fastify: FastifyInstance, document: OpenAPIObject, links: Links): void {
  serveContent(fastify, '/openapi.json', JSON_MEDIA_TYPE, stringifyJson(document));
  serveContent(fastify, '/openapi.yaml', 'application/yaml; charset=utf-8', () => documentAsYaml(document));
  // Not the package's main file: it loads the whole page's code.
  const swaggerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  servePage(fastify, {
    path: '/docs',
    files: [
      SHARED_STYLE,
      ...PAGE_FILES.map((name) => ({ name, folder: PAGE_FOLDER })),
      ...SWAGGER_UI_FILES.map((name) => ({ name, folder: swaggerFolder })),
    ],
    made: {
      '': () => Promise.resolve(swaggerPage()),
      ...Object.fromEntries(CALLERS_PAGES.map((name) => [name, () => callersPage(name, links)])),
    },
    origins: originsOf(document),
  });
  fastify.get('/', { config: OPEN_ROUTE }, (_request, reply) => reply.redirect(links.docsPath, 302));
  serveContent(fastify, '/favicon.ico', 'image/png', readFileSync(join(swaggerFolder, FAVICON)));
  serveContent(fastify, '/robots.txt', 'text/plain; charset=utf-8', 'User-agent: *\nDisallow: /\n');
}

/** Swagger UI, with what changes it. */
function swaggerPage(): string {
  return pageOf({
    title: 'API documentation',
    root: '',
    current: 'docs',
    head: [
      '<link rel="stylesheet" href="docs/swagger-ui.css" />',
      '<link rel="stylesheet" href="docs/page.css" />',
      '<script src="docs/theme.js"></script>',
    ],
    content: `<p class="note">
      For programs: <a href="openapi.json">openapi.json</a>,
      <a href="openapi.yaml">openapi.yaml</a>, <a href="llms.txt">llms.txt</a>
    </p>
    <div id="swagger-ui"></div>
    <noscript>This page needs JavaScript. The document is at <a href="openapi.json">/openapi.json</a>.</noscript>`,
    scripts: ['swagger-ui-bundle.js', ...SWAGGER_SCRIPTS],
  });
}

/** A page for callers. What makes it is loaded only here: a start should not wait for it. */
async function callersPage(name: PageName, links: Links): Promise<string> {
  const { htmlOf } = await import('./callers-pages.js');
  return await htmlOf(name, links.root || undefined);
}

/** The page may call the servers that the document names. */
function originsOf({ servers = [] }: OpenAPIObject): string[] {
  return servers.filter(({ url }) => !url.startsWith('/')).map(({ url }) => new URL(url).origin);
}

/** The document as YAML, with the digits of every bigint. Dates are quoted, because YAML 1.1 reads them as dates. */
async function documentAsYaml(document: OpenAPIObject): Promise<string> {
  // Loaded only here: a start should not wait for it.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}
