import { All, Controller, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fixedError } from '../common/errors/api-error.js';
import { methodNotAllowed } from '../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../common/errors/http.errors.js';
import { isAskedByBrowser, sendNotFoundPage } from './pages/not-found-page.js';
import { routeOf } from './requests/route-scope.js';
import { Links } from './responses/links.js';

/**
 * Takes every request that no other route matches. It is a route like any other, so the guards run before it: a stranger learns
 * nothing but 401 or 429, and every request is counted.
 */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
export class FallbackController {
  constructor(private readonly links: Links) {}

  /**
   * A browser that asks for a path outside of the API gets the 404 as a page.
   * @throws ApiError `route_not_found`, `method_not_allowed`
   */
  @All('*')
  refuse(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { allowed } = routeOf(request);
    if (allowed) throw methodNotAllowed(request.method, [...allowed]);
    const error = fixedError(HTTP_ERRORS.route_not_found);
    if (!isAskedByBrowser(request)) throw error;
    request.errorCode = error.code;
    sendNotFoundPage(request, reply, this.links);
  }
}
