import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { ErrorKind } from '../../platform/common/errors/error-kind.js';
import { HTTP_ERRORS } from '../../platform/common/errors/http.errors.js';
import type { OperationTraits } from '../../platform/http/operations/operation.decorator.js';
import { ApiPreconditions } from '../../platform/http/responses/etag.js';
import { AUTH_ERRORS } from '../auth.errors.js';
import { Operation } from '../operation.decorator.js';

/** The path parameter that names a key. */
export const KEY_PARAM = 'keyId';

interface Traits extends Pick<OperationTraits, 'id' | 'summary' | 'description'> {
  /** The errors that this operation has beside those of its kind. */
  errors?: readonly ErrorKind[];
  /** See RequiredAccess. */
  isForNewestSecret?: true;
}

/** Declares an operation on the list of keys, for administrators. */
export const KeysOperation = ({ errors = [], ...traits }: Traits) =>
  Operation({ stability: 'beta', access: 'admin', ...traits, errors });

/** Declares an operation that reads one key. `mayBeMe`: a key may call it for itself, whatever its access. */
export function KeyOperation(mayBeMe: boolean, { errors = [], ...traits }: Traits): MethodDecorator {
  const self = mayBeMe ? { selfParam: KEY_PARAM } : {};
  return applyDecorators(
    ApiParam({
      name: KEY_PARAM,
      description: mayBeMe
        ? 'The identifier of the key, or `me` for your own.'
        : 'The identifier of the key.',
      schema: { type: 'string', maxLength: 36 },
      example: mayBeMe ? 'me' : 'c9e9cb7c-0000-4000-8000-000000000000',
    }),
    Operation({
      stability: 'beta',
      access: 'admin',
      ...self,
      ...traits,
      errors: [AUTH_ERRORS.key_not_found, ...errors],
    }),
  );
}

/** Declares an operation that changes one key, with preconditions. */
export const KeyChangeOperation = (mayBeMe: boolean, { errors = [], ...traits }: Traits) =>
  applyDecorators(
    ApiPreconditions(),
    KeyOperation(mayBeMe, { ...traits, errors: [HTTP_ERRORS.precondition_failed, ...errors] }),
  );
