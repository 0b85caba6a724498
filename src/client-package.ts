import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveContent } from './platform/http/pages/pages.js';

/** Made by the build of packages/client. */
const FILE = fileURLToPath(new URL('../packages/client/client.tgz', import.meta.url));

/** Serves /client.tgz: the TypeScript client, as `npm install` takes it. */
export function serveClient(fastify: FastifyInstance): void {
  serveContent(fastify, '/client.tgz', 'application/gzip', readFileSync(FILE));
}
