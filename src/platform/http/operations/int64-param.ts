import { applyDecorators, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { ErrorKind } from '../../common/errors/error-kind.js';
import { int64IdOf } from '../../common/int64.js';
import { documentedBy, lastPipe } from './documented-argument.js';
import { ApiErrors } from './schemas.js';

interface Int64Id {
  description: string;
  example: number;
  /** The error of an id of nothing, which a text that is not an int64 gets too. */
  notFound: (id: bigint | string) => Error;
  error: ErrorKind;
}

/** An int64 in the path, as an argument of a handler, with its documentation and its 404. */
export function Int64Param(
  name: string,
  { description, example, notFound, error }: Int64Id,
): ParameterDecorator {
  const pipe = lastPipe((text: string) => int64IdOf(text, notFound));
  const document = applyDecorators(
    ApiParam({ name, description, schema: { type: 'integer', format: 'int64', example } }),
    ApiErrors(error),
  );
  return documentedBy(document, Param(name, pipe));
}
