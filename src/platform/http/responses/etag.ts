import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stringifyJson } from '../../common/json.js';
import { ETAG, keptName } from './response-headers.js';

const ETAG_NAME = keptName(ETAG);

/** The incidental part of a tag, see entityTagOf. */
const INCIDENTAL = /\.[\w-]+"/g;
const CONDITIONAL_METHODS = new Set(['GET', 'HEAD']);
const TAGGED_STATUSES = new Set([200, 201]);
/** Matches whole members of a list: the member `w/"a"` is malformed, so the `"a"` in it does not match. */
const TAG_IN_LIST = /(?<=^|,)[\t ]*((?:W\/)?"[!#-~\x80-\xff]*")[\t ]*(?=,|$)/g;

/**
 * The strong entity tag of a state, from its JSON as callers see it (RFC 9110, section 8.8.3). `incidental`: what is shown with the
 * state and changes by itself, such as a last use. It makes another tag, but `If-Match` ignores it.
 */
export function entityTagOf(json: string, incidental?: string): string {
  return `"${hash('sha1', json, 'base64url')}${incidental === undefined ? '' : `.${incidental}`}"`;
}

/** A DTO whose tag is not that of its whole JSON has a method of this name, which returns its tag. */
export const ENTITY_TAG = Symbol('entity tag');

const ownTagOf = (dto: { [ENTITY_TAG]?: () => string }) => dto[ENTITY_TAG]?.();

/** The tag of the state that a DTO shows. */
export const tagOfDto = (dto: object) => ownTagOf(dto) ?? entityTagOf(stringifyJson(dto));

/** Sets the tag of a DTO that has one of its own. */
export function applyOwnTag(reply: FastifyReply, dto: object): void {
  const tag = ownTagOf(dto);
  if (tag !== undefined) void reply.header(ETAG_NAME, tag);
}

/** A tag, or a list of them, without the incidental parts. */
export const tagOfState = (tags: string) => tags.replaceAll(INCIDENTAL, '"');

/**
 * Whether `If-Match` matches a state with this tag (RFC 9110, section 13.1.1). The comparison is strong, so a weak tag never
 * matches. An absent header always matches.
 */
export function ifMatchHolds(header: string | undefined, tag: string): boolean {
  return header === undefined || header.trim() === '*' || tagsIn(header).map(tagOfState).includes(tag);
}

/** Whether `If-None-Match` names the state with this tag (section 13.1.2). The comparison is weak: it ignores `W/`. */
export function ifNoneMatchHolds(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsIn(header).some((held) => held.replace(/^W\//, '') === tag);
}

function tagsIn(header: string): string[] {
  return Array.from(header.matchAll(TAG_IN_LIST), ([, tag = '']) => tag);
}

/**
 * Adds an ETag to a 200 or 201 whose handler has set none, and turns it into a 304 for a caller who holds it. Returns the payload to
 * send.
 */
export function applyEntityTag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (!TAGGED_STATUSES.has(reply.statusCode) || typeof payload !== 'string') return payload;
  const tag = (reply.getHeader(ETAG_NAME) as string | undefined) ?? entityTagOf(payload);
  void reply.header(ETAG_NAME, tag);
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
