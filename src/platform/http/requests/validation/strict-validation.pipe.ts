import {
  Injectable,
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { requestOf } from '../context.js';
import { routeOf } from '../route-scope.js';
import { validBody, validQuery, type Query } from './validate.js';

/**
 * Checks a query or a body against its DTO. Stricter than Nest's own pipe: unknown names are refused, null does not mean absent, and a
 * query parameter comes once, unless it is a list. The message names every invalid field with the received value, and up to five unknown names. Path parameters are read by their controller.
 */
@Injectable()
export class StrictValidationPipe implements PipeTransform {
  /** @throws ApiError invalid_parameter for a query, invalid_body for a body */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'query') return validQuery(value as Query, metatype as Type<object>);
    if (type === 'body') return validBody(value, metatype as Type<object>);
    return value;
  }
}

/** The query of an operation that declares none. */
class NoParameters {}

/** Refuses every query parameter of an operation that declares no query: a typo must never be ignored. */
@Injectable()
export class NoParametersGuard implements CanActivate {
  /** @throws ApiError invalid_parameter */
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { operation, takesParameters } = routeOf(request);
    if (operation && !takesParameters) validQuery(request.query as Query, NoParameters);
    return true;
  }
}
