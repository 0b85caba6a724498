import { applyDecorators } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { STATUS_OF_CODE, type ErrorCode } from '../errors/api-error.js';
import { ERROR_EXAMPLES } from '../errors/error-examples.js';
import { ErrorDto } from '../errors/error.dto.js';

/** Documents error answers: one response per status, one example per code. */
export function ApiErrorResponses(codes: readonly ErrorCode[]): MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, ofStatus]) =>
      ApiResponse({
        status,
        description: ofStatus.map((code) => `[\`${code}\`](/docs/errors#${code})`).join(', '),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(ErrorDto) },
            examples: Object.fromEntries(
              ofStatus.map((code) => [code, { value: { code, message: ERROR_EXAMPLES[code], status } }]),
            ),
          },
        },
      }),
    ),
  );
}
