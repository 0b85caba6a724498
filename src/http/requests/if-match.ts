import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { preconditionFailed } from '../../common/errors/common.errors.js';
import { stringifyJson } from '../../common/json/stringify-json.js';
import { entityTagOf, ifMatchHolds } from '../responses/etag.js';

/** The precondition of a request that changes a resource (RFC 9110, section 13.1.1). */
export class Precondition {
  /** `ifMatch`: the header's value. Undefined without the header: every state is accepted. */
  constructor(private readonly ifMatch: string | undefined) {}

  /**
   * Accepts or refuses the current state of the resource, given as its DTO.
   *
   * @throws ApiError `precondition_failed`
   */
  check(current: object): void {
    // Without the header there is nothing to compare, so the state is not serialized.
    if (this.ifMatch === undefined) return;
    if (!ifMatchHolds(this.ifMatch, entityTagOf(stringifyJson(current)))) throw preconditionFailed();
  }
}

/** The Precondition of the request, as an argument of a handler. */
export const IfMatch = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    new Precondition(context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']),
);

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
