import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiOperation } from '@nestjs/swagger';
import { endpointRemoved } from '../../common/errors/common.errors.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { ErrorKind } from '../../common/errors/error-kind.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { argumentsOf } from './operation-internals.js';
import { ApiErrors } from './schemas.js';

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
  sunset?: Sunset;
  /** It waits for a server of the caller, so it holds no place among the operations under way. It has a bound of its own. */
  waitsForOthers?: true;
  /** Path of what the operation has created, below the version, from what its handler returns: for `Location`. */
  creates?: (created: never) => string;
  /** The errors of this operation, without those of every operation and those of a body. An `ApiError` has a message of its own. */
  errors: readonly (ErrorKind | ApiError)[];
}

/** The configuration that Fastify stores with a route. A folder whose guards read more declares it. */
export interface RouteSettings {
  operation?: OperationTraits;
  /** The handler has a `@Query()` argument. Absent: every query parameter is refused. */
  takesParameters?: boolean;
  /** Needs no key, is not counted. Absent: closed. */
  open?: boolean;
}

/** The errors of an operation with a `@Body()`. */
const BODY_ERRORS: readonly ErrorKind[] = [
  HTTP_ERRORS.malformed_json,
  HTTP_ERRORS.invalid_body,
  HTTP_ERRORS.body_too_large,
  HTTP_ERRORS.unsupported_media_type,
];

/** Declares an operation: its entry in the document, and the headers that follow from its traits. `settings`: more for the route. */
export function DescribedOperation(traits: OperationTraits, settings: RouteSettings): MethodDecorator {
  const { sunset } = traits;
  const describe = applyDecorators(
    ApiOperation({
      operationId: traits.id,
      summary: traits.summary,
      description: traits.description,
      deprecated: sunset !== undefined,
    }),
    ApiExtension('x-stability', traits.stability),
    ...(sunset ? [ApiExtension('x-sunset', sunset.removedAt.toISOString().slice(0, 10))] : []),
    ...(sunset ? [ApiErrors(endpointRemoved(`GET ${sunset.successor}`))] : []),
    ApiBearerAuth('apiKey'),
    ApiErrors(...traits.errors),
  );
  return (prototype, name, descriptor) => {
    const { hasQuery: takesParameters, hasBody } = argumentsOf(prototype.constructor, name);
    RouteConfig({ ...settings, operation: traits, takesParameters } satisfies RouteSettings)(
      prototype,
      name,
      descriptor,
    );
    describe(prototype, name, descriptor);
    if (hasBody) ApiErrors(...BODY_ERRORS)(prototype, name, descriptor);
  };
}

/** Opens a route: it needs no key and is not counted. Every route without this decorator is closed. */
export const Open = () => RouteConfig({ open: true } satisfies RouteSettings);
