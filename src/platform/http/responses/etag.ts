import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fixedError } from '../../common/errors/api-error.js';
import { stringifyJson } from '../../common/json.js';

/**
 * Refuses a change unless the current state of the resource, given as its DTO, is the one that the caller means.
 * @throws ApiError `precondition_failed`
 */
export type Precondition = (current: object) => void;

/** The `If-Match` of the request (RFC 9110, section 13.1.1), as an argument of a handler. Without it every state is accepted. */
export const IfMatch = createParamDecorator((_data: unknown, context: ExecutionContext): Precondition => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  return (current) => {
    // Without the header the state is not serialized.
    if (header !== undefined && !ifMatchHolds(header, entityTagOf(stringifyJson(current))))
      throw fixedError('precondition_failed');
  };
});

/** Documents the header. */
export const ApiIfMatch = () =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, ' +
      'nothing changes and the answer is 412.',
    schema: { type: 'string', maxLength: 16_384 },
  });

const CONDITIONAL_METHODS = new Set(['GET', 'HEAD']);
const TAGGED_STATUSES = new Set([200, 201]);
/** Matches whole members of a list: the member `w/"a"` is malformed, so the `"a"` in it does not match. */
const ENTITY_TAG = /(?<=^|,)[\t ]*((?:W\/)?"[!#-~\x80-\xff]*")[\t ]*(?=,|$)/g;

/**
 * The strong entity tag of a state, from its JSON as callers see it (RFC 9110, section 8.8.3). `incidental`: what is shown with the
 * state and changes by itself, such as a last use. It makes another tag, but `If-Match` ignores it.
 */
export function entityTagOf(json: string, incidental?: string): string {
  return `"${hash('sha1', json, 'base64url')}${incidental === undefined ? '' : `.${incidental}`}"`;
}

/** The tag without its incidental part. */
const tagOfState = (tag: string) => tag.replace(/\.[\w-]+"$/, '"');

/**
 * Whether `If-Match` matches a state with this tag (RFC 9110, section 13.1.1). The comparison is strong, so a weak tag never
 * matches. An absent header always matches.
 */
export function ifMatchHolds(header: string | undefined, tag: string): boolean {
  return header === undefined || header.trim() === '*' || tagsIn(header).map(tagOfState).includes(tag);
}

/** Whether the caller has the state with this tag (`If-None-Match`, section 13.1.2). The comparison is weak: it ignores `W/`. */
export function ifNoneMatchHolds(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsIn(header).some((held) => held.replace(/^W\//, '') === tag);
}

function tagsIn(header: string): string[] {
  return Array.from(header.matchAll(ENTITY_TAG), ([, tag = '']) => tag);
}

/** Adds an ETag to a 200 or 201, and turns it into a 304 for a caller who holds it. Returns the payload to send. */
export function applyEntityTag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (!TAGGED_STATUSES.has(reply.statusCode) || typeof payload !== 'string') return payload;
  // A handler may have set the tag of what it shows.
  const tag = reply.getHeader('ETag')?.toString() ?? entityTagOf(payload);
  void reply.header('ETag', tag);
  if (!CONDITIONAL_METHODS.has(request.method) || !ifNoneMatchHolds(request.headers['if-none-match'], tag))
    return payload;
  return notModified(request, reply);
}

/** Makes the response a 304 and returns its payload. */
export function notModified(request: FastifyRequest, reply: FastifyReply): Readable | null {
  void reply.code(304).removeHeader('Content-Type').removeHeader('Content-Length');
  // A 304 has no length of its own (RFC 9110, section 8.6). Fastify adds Content-Length to HEAD responses unless the payload is a stream.
  return request.method === 'HEAD' ? Readable.from([]) : null;
}
