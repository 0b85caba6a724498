import { createServer, type IncomingMessage } from 'node:http';
import { getOne, insert, listPage, type NewPet } from './limit-statements.js';

/*
 * What Node and PostgreSQL can do at all: node:http without a framework, and limits counted in this process. It checks no key,
 * validates nothing, handles no error and counts for one replica only, so it is a limit and not a service.
 */

const PER_MINUTE = 2_000_000_000;
const MINUTE_SECONDS = 60;

async function bodyOf(request: IncomingMessage): Promise<NewPet> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as NewPet;
}

const counts = new Map<string, number>();

const server = createServer((request, response) => {
  const key = request.headers.authorization ?? '';
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  const { url = '', method } = request;
  if (!url.startsWith('/v1/pets')) return void response.writeHead(404).end();
  const answer =
    method === 'POST'
      ? bodyOf(request).then(insert)
      : url.includes('?')
        ? listPage(url)
        : getOne(url.slice(url.lastIndexOf('/') + 1));
  void answer.then((json) => {
    response
      .writeHead(method === 'POST' ? 201 : 200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(json),
        'X-RateLimit-Limit': PER_MINUTE,
        'X-RateLimit-Remaining': PER_MINUTE - count,
        'X-RateLimit-Reset': Math.ceil(Date.now() / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS,
      })
      .end(json);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
