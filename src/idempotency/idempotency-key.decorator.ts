import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { countHeader } from '../common/http/request-framing.js';
import { IDEMPOTENCY_KEY_HEADER, MAX_IDEMPOTENCY_KEY_CHARACTERS } from './idempotency-names.js';

const HEADER = IDEMPOTENCY_KEY_HEADER.toLowerCase();

/**
 * The header as it came, for the validation pipe to read as an IdempotencyHeader. Stands between the body and the query
 * among a handler's arguments, for its faults are found after the query's and before the body's.
 */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { value: request.headers[HEADER], count: countHeader(request, HEADER) };
});

/** Documents the header. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: IDEMPOTENCY_KEY_HEADER,
    required: false,
    description:
      'Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARACTERS },
    example: '7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11',
  });
