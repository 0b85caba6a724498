import { applyDecorators, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiOperation } from '@nestjs/swagger';
import { STATUS_OF_CODE, type ErrorCode } from '../errors/api-error.js';
import { ApiErrorResponses } from './error-responses.decorator.js';

/** `stable`: only ever added to. `beta`: 90 days' notice. `experimental`: none. See docs/decisions. */
type Stability = 'stable' | 'beta' | 'experimental';

/** A deprecation announced: since when, until when, and what to use instead (RFC 9745, RFC 8594). */
export interface Sunset {
  deprecatedAt: Date;
  removedAt: Date;
  /** Path and query of the replacement, below the version. */
  successor: string;
}

/** What is true of an operation whoever calls it; one source for the document, the page and the response headers. */
export interface OperationTraits {
  id: string;
  summary: string;
  description: string;
  stability: Stability;
  sunset?: Sunset;
  /** The codes this operation answers beside those that any operation can answer. */
  errors: readonly ErrorCode[];
}

/** What Fastify keeps beside a route, for the code that runs where no guard does. */
export interface RouteSettings {
  operation?: OperationTraits;
  /** The handler and its class: where decorators stand that are asked for. */
  decorated?: Type[];
  /** Needs no key, is not counted. Absent: closed. */
  open?: boolean;
}

/** The codes that any operation can answer. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'bad_request',
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'request_timeout',
  'uri_too_long',
  'rate_limit_exceeded',
  'api_key_banned',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** The codes that an operation answers where it writes. */
export const WRITING_ERRORS = [
  'malformed_json',
  'invalid_body',
  'read_only_key',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Declares an operation of the API: its entry in the document and the headers that follow from its traits. */
export function Operation(traits: OperationTraits): MethodDecorator {
  const codes = [...COMMON_ERRORS, ...traits.errors].sort((a, b) => STATUS_OF_CODE[a] - STATUS_OF_CODE[b]);
  const describe = applyDecorators(
    ApiOperation({
      operationId: traits.id,
      summary: traits.summary,
      description: traits.description,
      deprecated: traits.sunset !== undefined,
    }),
    ApiExtension('x-stability', traits.stability),
    ...(traits.sunset ? [ApiExtension('x-sunset', traits.sunset.removedAt.toISOString().slice(0, 10))] : []),
    ApiBearerAuth('apiKey'),
    ApiErrorResponses(codes),
  );
  return (prototype, name, descriptor) => {
    const decorated = [descriptor.value, prototype.constructor] as Type[];
    RouteConfig({ operation: traits, decorated } satisfies RouteSettings)(prototype, name, descriptor);
    describe(prototype, name, descriptor);
  };
}

/** Opens a route: no key is asked for and nothing is counted. Everything without this line is closed. */
export const Open = () => RouteConfig({ open: true } satisfies RouteSettings);
