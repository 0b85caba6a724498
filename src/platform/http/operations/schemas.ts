import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiProperty,
  ApiResponse,
  ApiSchema,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiError, MAX_MESSAGE_CHARACTERS, type ErrorBody } from '../../common/errors/api-error.js';
import type { ErrorKind } from '../../common/errors/error-kind.js';

/** Documents an int64 property, whose TypeScript type `bigint` Nest does not know. */
export const ApiInt64 = (description: string, example: number, bounds: { minimum?: number } = {}) =>
  ApiProperty({ type: 'integer', format: 'int64', ...bounds, description, example });

export const UUID_SCHEMA = {
  type: 'string' as const,
  format: 'uuid',
  maxLength: 36,
  example: '0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34',
};

/** Documents the response of a list, 200 unless `status` says otherwise, a bare array. The document makes it a component named by its title. */
export const ApiArrayResponse = (
  item: Type,
  {
    title,
    description,
    status = 200,
    ...bounds
  }: { title: string; description: string; status?: number; minItems?: number; maxItems: number },
) =>
  applyDecorators(
    ApiExtraModels(item),
    ApiResponse({
      status,
      description,
      schema: { title, type: 'array', description, items: { $ref: getSchemaPath(item) }, ...bounds },
    }),
  );

@ApiSchema({ name: 'Error', description: 'The body of every error answer.' })
export class ErrorDto implements ErrorBody {
  @ApiProperty({
    type: String,
    maxLength: 64,
    pattern: '^[a-z_]+$',
    description:
      'Machine-readable error code: one of `x-extensible-enum`, or one that a later release adds. A client that meets an unknown one goes by the status.',
    example: 'invalid_parameter',
  })
  code!: string;

  @ApiProperty({
    maxLength: MAX_MESSAGE_CHARACTERS,
    description: 'Human-readable description: what was at fault, what was expected and what came.',
    example: 'limit: expected an integer from 1 to 100, got "500"',
  })
  message!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 400,
    maximum: 599,
    description: 'The HTTP status code of the response.',
    example: 400,
  })
  status!: number;
}

/** How an operation notes an error for the document, which makes responses of them. */
export const ERROR_EXTENSION = 'x-error-';

/** Documents errors of an operation; several decorators add to them. An `ApiError` is documented with its own message. */
export const ApiErrors = (...errors: readonly (ErrorKind | ApiError)[]): MethodDecorator =>
  applyDecorators(
    ...errors.map((error) => {
      const body =
        error instanceof ApiError
          ? error.getResponse()
          : { code: error.code, message: error.example, status: error.status };
      return ApiExtension(`${ERROR_EXTENSION}${body.code}`, body);
    }),
  );
