import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchFailed, ifNoneMatchFailed } from '../../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { MAX_HEADER_BYTES } from '../../common/size-limits.js';
import { stringifyJson } from '../../common/json.js';
import { ApiErrors } from '../operations/schemas.js';
import { ETAG } from './response-headers.js';

/**
 * Refuses a change unless the current state of the resource, given as its DTO, is the one that the caller means. Without a state:
 * of a collection, which exists and has no tag, because every page has one.
 * @throws ApiError `precondition_failed`
 */
export type Precondition = (current?: object) => void;

/** `If-Match` and `If-None-Match` of the request (RFC 9110, section 13.1). Without them every state is accepted. */
export function preconditionOf(request: FastifyRequest): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  request.isPreconditionChecked = false;
  return (current) => {
    request.isPreconditionChecked = true;
    // Without the headers the state is not serialized.
    if (ifMatch === undefined && ifNoneMatch === undefined) return;
    const tag = current && tagOfState(ownTagOf(current) ?? entityTagOf(stringifyJson(current)));
    if (tag !== undefined && !ifMatchHolds(ifMatch, tag)) throw ifMatchFailed(ifMatch ?? '', tag);
    if (ifNoneMatchHolds(ifNoneMatch?.replaceAll(INCIDENTAL, '"'), tag))
      throw ifNoneMatchFailed(ifNoneMatch ?? '', tag);
  };
}

/** Whether a handler that takes a precondition succeeded without a look at it. */
export const hasForgottenPrecondition = (request: FastifyRequest, reply: FastifyReply) =>
  request.isPreconditionChecked === false && reply.statusCode < 300;

const header = (name: string, description: string) =>
  ApiHeader({ name, required: false, description, schema: { type: 'string', maxLength: MAX_HEADER_BYTES } });

/** Documents the headers of a change. */
export const ApiPreconditions = () =>
  applyDecorators(
    header(
      'If-Match',
      'The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, ' +
        'nothing changes and the answer is 412.',
    ),
    ApiIfNoneMatch(),
  );

/** Documents the header of a write. */
export const ApiIfNoneMatch = () =>
  applyDecorators(
    header(
      'If-None-Match',
      'An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412.',
    ),
    ApiErrors(HTTP_ERRORS.precondition_failed),
  );

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

/** Sets the tag of a DTO that has one of its own. */
export function applyOwnTag(reply: FastifyReply, dto: object): void {
  const tag = ownTagOf(dto);
  if (tag !== undefined) void reply.header(ETAG.name, tag);
}

/** The tag without its incidental part. */
const tagOfState = (tag: string) => tag.replaceAll(INCIDENTAL, '"');

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
  const tag = (reply.getHeader(ETAG.name) as string | undefined) ?? entityTagOf(payload);
  void reply.header(ETAG.name, tag);
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
