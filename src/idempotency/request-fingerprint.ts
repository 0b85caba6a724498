import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { rawBodyOf } from '../common/http/raw-body.js';
import { decodedPath } from '../common/http/request-target.js';

/** SHA-256 over method, path, query and body bytes: two requests with the same one are the same request. */
export function fingerprintOf(request: FastifyRequest): Buffer {
  const { method, originalUrl } = request;
  const [, query = ''] = /\?(.*)$/s.exec(originalUrl) ?? [];
  // JSON keeps the parts apart, whatever is in them.
  const target = JSON.stringify([method, decodedPath(originalUrl), query]);
  return hash('sha256', Buffer.concat([Buffer.from(target), rawBodyOf(request)]), 'buffer');
}
