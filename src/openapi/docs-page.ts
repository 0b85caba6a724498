import { fileURLToPath } from 'node:url';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import swaggerUi from 'swagger-ui-dist';
import { stringify } from 'yaml';
import { OPEN, servePage } from '../common/http/pages.js';
import { JSON_MEDIA_TYPE } from '../common/json/json-media-type.js';

const PAGE_FOLDER = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = ['index.html', 'page.css', 'page.js', 'errors.html', 'errors.css'];
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves Swagger UI at /docs and the document as JSON and YAML, from this process alone. */
export function serveDocs(fastify: FastifyInstance, document: OpenAPIObject): void {
  const json = JSON.stringify(document);
  const yaml = stringify(document, { aliasDuplicateObjects: false });
  fastify.get('/openapi.json', { config: OPEN }, (_request, reply) =>
    reply.type(JSON_MEDIA_TYPE).header('Cache-Control', 'no-cache').send(json),
  );
  fastify.get('/openapi.yaml', { config: OPEN }, (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').header('Cache-Control', 'no-cache').send(yaml),
  );
  const swaggerFolder = swaggerUi.getAbsoluteFSPath();
  servePage(fastify, {
    path: '/docs',
    files: [
      ...PAGE_FILES.map((name) => ({ name, folder: PAGE_FOLDER })),
      ...SWAGGER_UI_FILES.map((name) => ({ name, folder: swaggerFolder })),
    ],
    origins: originsOf(document),
  });
}

/** The page tries operations out on the servers the document names. */
function originsOf({ servers = [] }: OpenAPIObject): string[] {
  return servers.filter(({ url }) => !url.startsWith('/')).map(({ url }) => new URL(url).origin);
}
