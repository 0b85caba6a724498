import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { OPEN_ROUTE, servePage } from './platform/http/pages/pages.js';

/** The built files of packages/console, which are in the repository: a start and the image need nothing of its tools. */
const FOLDER = fileURLToPath(new URL('../packages/console/dist/', import.meta.url));

/** Where the pages that the console has replaced are in it. Relative, because a proxy may have stripped a prefix from the path. */
const MOVED = { '/keys': 'console#/keys', '/usage': 'console#/my-key' };

/** Serves /console: the pages for people with a key. */
export function serveConsole(fastify: FastifyInstance): void {
  const files = readdirSync(FOLDER).map((name) => ({ name, folder: FOLDER }));
  servePage(fastify, { path: '/console', files, insertsStyles: true });
  for (const [path, place] of Object.entries(MOVED))
    fastify.get(path, { config: OPEN_ROUTE }, (_request, reply) => reply.redirect(place, 302));
}
