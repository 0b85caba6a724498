import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchFailed, ifNoneMatchFailed } from '../../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { MAX_HEADER_BYTES } from '../../common/size-limits.js';
import { ApiErrors } from '../operations/schemas.js';
import { ifMatchHolds, ifNoneMatchHolds, tagOfDto, tagOfState } from './etag.js';

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
    const tag = current && tagOfState(tagOfDto(current));
    if (tag !== undefined && !ifMatchHolds(ifMatch, tag)) throw ifMatchFailed(ifMatch ?? '', tag);
    if (ifNoneMatchHolds(ifNoneMatch && tagOfState(ifNoneMatch), tag))
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
