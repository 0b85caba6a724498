import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiOperation } from '@nestjs/swagger';
import type { Access } from '../../common/access.js';
import { ERRORS, type ErrorCode } from '../../common/errors/errors.js';
import { hasQueryArgument } from './operation-internals.js';
import { ApiErrorResponses } from './schemas.js';

/** `stable`: only ever added to. `beta`: 90 days' notice. `experimental`: none. See docs/versioning.md. */
type Stability = 'stable' | 'beta' | 'experimental';

/** The announcement of a removal (RFC 9745, RFC 8594). */
export interface Sunset {
  deprecatedAt: Date;
  removedAt: Date;
  /** Path and query of the replacement, below the version. */
  successor: string;
}

/** The static properties of an operation, from which its OpenAPI entry and its response headers are made. */
export interface OperationTraits {
  id: string;
  summary: string;
  description: string;
  stability: Stability;
  /** What a key must have for this operation: this access or a higher one. */
  access: Access;
  /** The path parameter that may name the caller itself, with `me` or its id: then any access is enough. */
  selfParam?: string;
  sunset?: Sunset;
  /** The codes of this operation, without those of every operation. */
  errors: readonly ErrorCode[];
}

/** The configuration that Fastify stores with a route. */
export interface RouteSettings {
  operation?: OperationTraits;
  /** The handler has a `@Query()` argument. Absent: every query parameter is refused. */
  takesParameters?: boolean;
  /** Needs no key, is not counted. Absent: closed. */
  open?: boolean;
}

/** The codes of every operation. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'bad_request',
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'request_timeout',
  'rate_limit_exceeded',
  'api_key_banned',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** The codes of an operation that writes. */
export const WRITING_ERRORS = [
  'malformed_json',
  'invalid_body',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Declares an operation of the API: its entry in the document and the headers that follow from its traits. */
export function Operation(traits: OperationTraits): MethodDecorator {
  const codes = [
    ...COMMON_ERRORS,
    // Every key may read.
    ...(traits.access === 'read' ? [] : (['insufficient_access'] as const)),
    ...traits.errors,
  ].sort((a, b) => ERRORS[a].status - ERRORS[b].status);
  const describe = applyDecorators(
    ApiOperation({
      operationId: traits.id,
      summary: traits.summary,
      description: `${traits.description}\n\n${accessNote(traits)}`,
      deprecated: traits.sunset !== undefined,
    }),
    ApiExtension('x-stability', traits.stability),
    ApiExtension('x-required-access', traits.access),
    ...(traits.sunset ? [ApiExtension('x-sunset', traits.sunset.removedAt.toISOString().slice(0, 10))] : []),
    ApiBearerAuth('apiKey'),
    ApiErrorResponses(codes),
  );
  return (prototype, name, descriptor) => {
    const takesParameters = hasQueryArgument(prototype.constructor, name);
    RouteConfig({ operation: traits, takesParameters } satisfies RouteSettings)(prototype, name, descriptor);
    describe(prototype, name, descriptor);
  };
}

function accessNote({ access, selfParam }: OperationTraits): string {
  const note = `Takes \`${access}\` access.`;
  return selfParam === undefined ? note : `${note} With \`me\` every key calls it for itself.`;
}

/** Opens a route: it needs no key and is not counted. Every route without this decorator is closed. */
export const Open = () => RouteConfig({ open: true } satisfies RouteSettings);
