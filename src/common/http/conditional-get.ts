import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const CONDITIONAL_METHODS = new Set(['GET', 'HEAD']);
const ENTITY_TAG = /(?:W\/)?"[!#-~\x80-\xff]*"/g;

/**
 * Gives a 200 its ETag, and answers 304 where the caller holds it already (RFC 9110, sections 8.8.3 and
 * 13.1.2). Returns the payload to send.
 */
export function applyEntityTag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const tag = `"${hash('sha1', payload, 'base64url')}"`;
  void reply.header('ETag', tag);
  const held = request.headers['if-none-match'];
  if (held === undefined || !CONDITIONAL_METHODS.has(request.method) || !matches(held, tag)) return payload;
  void reply.code(304).removeHeader('Content-Type').removeHeader('Content-Length');
  // A 304 has no length of its own (RFC 9110, section 8.6). Of what answers a HEAD Fastify tells the length, unless it is a stream.
  return request.method === 'HEAD' ? Readable.from([]) : null;
}

/** The comparison is the weak one, which ignores `W/`. */
function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((held) => held.replace(/^W\//, '') === tag);
}
