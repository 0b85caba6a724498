import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from '../requests/route-scope.js';
import type { Links } from './links.js';
import { LOCATION } from './response-headers.js';

/** Sets `Location` on the 201 of an operation that declares `creates`. `body`: what its handler returns. */
export function setLocation(request: FastifyRequest, reply: FastifyReply, links: Links, body: object): void {
  const { creates } = routeOf(request).operation ?? {};
  if (creates && reply.statusCode === 201) void reply.header(LOCATION.name, links.to(creates(body as never)));
}
