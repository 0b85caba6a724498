import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../platform/http/requests/context.js';
import { documentedBy } from '../platform/http/operations/documented-argument.js';
import {
  ApiIfNoneMatch,
  ApiPreconditions,
  type Precondition,
  preconditionOf,
} from '../platform/http/responses/preconditions.js';
import { callerKeyOf } from './caller.js';
import type { CallerKey } from './caller-key.js';

/** A change that a caller asks for. */
export interface Change {
  /** Who asks. */
  key: CallerKey;
  /** Refuses the change of a resource in a state that the caller does not mean. A handler that never calls it answers 500. */
  check: Precondition;
}

const changeOf = createParamDecorator((_data: unknown, context: ExecutionContext): Change => {
  const request = requestOf(context);
  return { key: callerKeyOf(request), check: preconditionOf(request) };
});

/**
 * The change that a request asks for, as an argument of its handler: the key, and `If-Match` and `If-None-Match`, with their
 * documentation. `collection`: the handler adds to a collection, which has no tag.
 */
export const Change = (what: 'resource' | 'collection' = 'resource'): ParameterDecorator =>
  documentedBy(what === 'resource' ? ApiPreconditions() : ApiIfNoneMatch(), changeOf());
