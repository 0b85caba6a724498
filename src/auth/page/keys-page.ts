import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { servePage } from '../../platform/http/responses/pages.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const FILES = ['index.html', 'page.css', 'page.js', 'api.js', 'dom.js', 'list.js', 'key.js', 'dialogs.js'];

/** Serves /keys: a page on which an administrator issues and manages API keys. Its form styles and chart come from /usage. */
export function serveKeysPage(fastify: FastifyInstance): void {
  servePage(fastify, { path: '/keys', files: FILES.map((name) => ({ name, folder: FOLDER })) });
}
