import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import swaggerUi from 'swagger-ui-dist';
import { stringify } from 'yaml';
import type { RouteSettings } from '../common/http/operation.decorator.js';

const OPEN: RouteSettings = { open: true };
const PAGE_FOLDER = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = ['page.css', 'page.js'];
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves Swagger UI at /docs and the document as JSON and YAML, from this process alone. */
export async function serveDocs(fastify: FastifyInstance, document: OpenAPIObject): Promise<void> {
  const json = JSON.stringify(document);
  const yaml = stringify(document, { aliasDuplicateObjects: false });
  await fastify.register(fastifyStatic, { root: [PAGE_FOLDER, swaggerUi.getAbsoluteFSPath()], serve: false });

  fastify.get('/openapi.json', { config: OPEN }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('Cache-Control', 'no-cache').send(json),
  );
  fastify.get('/openapi.yaml', { config: OPEN }, (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').header('Cache-Control', 'no-cache').send(yaml),
  );

  const policy = contentSecurityPolicy(document);
  fastify.get('/docs', { config: OPEN }, (_request, reply) =>
    asPage(reply, policy).sendFile('index.html', { cacheControl: false }),
  );
  for (const file of [...PAGE_FILES, ...SWAGGER_UI_FILES]) {
    fastify.get(`/docs/${file}`, { config: OPEN }, (_request, reply) =>
      asPage(reply, policy).sendFile(file, { cacheControl: false }),
    );
  }
}

function asPage(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .header('Content-Security-Policy', policy)
    .header('Referrer-Policy', 'no-referrer')
    .header('Cache-Control', 'no-cache');
}

/** Nothing inline, nothing from elsewhere; the page may call this server and the servers the document names. */
function contentSecurityPolicy(document: OpenAPIObject): string {
  const servers = (document.servers ?? []).map(({ url }) => url).filter((url) => !url.startsWith('/'));
  const origins = servers.map((url) => new URL(url).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
