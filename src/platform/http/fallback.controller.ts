import { All, Controller, Req, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { fixedError } from '../common/errors/api-error.js';
import { methodNotAllowed } from '../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../common/errors/http.errors.js';
import { routeOf } from './requests/route-scope.js';

/**
 * Takes every request that no other route matches. It is a route like any other, so the guards run before it: a stranger learns
 * nothing but 401 or 429, and every request is counted.
 */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
export class FallbackController {
  /** @throws ApiError route_not_found, method_not_allowed */
  @All('*')
  refuse(@Req() request: FastifyRequest): never {
    const { allowed } = routeOf(request);
    throw allowed ? methodNotAllowed(request.method, [...allowed]) : fixedError(HTTP_ERRORS.route_not_found);
  }
}
