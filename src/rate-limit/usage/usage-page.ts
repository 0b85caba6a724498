import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { servePage } from '../../platform/http/responses/pages.js';

const PAGE_FOLDER = fileURLToPath(new URL('./page/', import.meta.url));
const PAGE_FILES = ['index.html', 'forms.css', 'page.css', 'days.js', 'page.js'];
const CHART_FILE = 'chart.umd.min.js';

/** Serves /usage: a page that shows what an API key may still do and what it did. */
export function serveUsagePage(fastify: FastifyInstance): void {
  const chartFolder = dirname(fileURLToPath(import.meta.resolve('chart.js')));
  servePage(fastify, {
    path: '/usage',
    files: [
      ...PAGE_FILES.map((name) => ({ name, folder: PAGE_FOLDER })),
      { name: CHART_FILE, folder: chartFolder },
    ],
  });
}
