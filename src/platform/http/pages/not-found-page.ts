import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Links } from '../responses/links.js';
import { escaped, pageOf } from './layout.js';
import { HTML, pageHeaders } from './pages.js';

const API = /^\/v\d+(?:\/|$)/;

/** Whether a person asked for something that is not there: a browser, outside of the API. */
export function isAskedByBrowser({ method, originalUrl, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !API.test(originalUrl) && String(headers.accept).includes('text/html');
}

/** Answers 404 with a page instead of the Error body. Its links do not depend on the path, whose depth the caller chooses. */
export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply, links: Links): void {
  const [path = ''] = request.originalUrl.split('?');
  const html = pageOf({
    title: 'There is no such page',
    root: links.rootPath,
    content: `<main>
      <p>Nothing lives at <code>${escaped(path)}</code>. The links above lead to everything that there is.</p>
    </main>`,
    head: [],
  });
  // CORS may have added Origin.
  const vary = [reply.getHeader('Vary') ?? [], 'Accept'].flat().join(', ');
  void reply
    .code(404)
    .headers({ ...pageHeaders(), Vary: vary, 'Content-Type': HTML })
    .send(Buffer.from(html));
}
