import type { FastifyInstance, FastifyRequest } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { MAX_HEADER_BYTES } from '../../common/size-limits.js';
import type { RouteSettings } from '../operations/operation.decorator.js';
import { decodedPath } from './malformed-request.js';

/**
 * The rules that apply to a request. `api`: below `/v1`, needs a key and is counted. `open`: documentation, health and pages;
 * needs no key and is not counted. `unknown`: any other path; counted against the address, answered with 404.
 */
export type RouteScope = 'api' | 'open' | 'unknown';

const METHODS: readonly HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPEN_PREFIX = '/health/';
/** The route of FallbackController, as Nest registers it. */
const FALLBACK_URL = '/*';
/** The route that @fastify/cors registers for preflights. Its hook answers them, so no request may reach the route. */
const PREFLIGHT_URL = '*';
/** A path that no request has, because `routableTarget` replaces a path below `/v1` with an empty segment. */
const UNREACHABLE_URL = '/v1//preflight';

/** A second router over the same routes. It knows the methods of a path and whether the path is open. */
export class RouteTable {
  /** Every route of the server but the fallback. */
  readonly routes: { method: string; url: string; settings: RouteSettings }[] = [];
  private readonly router = createRouter({ maxParamLength: MAX_HEADER_BYTES });

  /** Call before any route is registered. */
  static watch(fastify: FastifyInstance): RouteTable {
    const table = new RouteTable();
    fastify.addHook('onRoute', (route) => {
      if (route.url === PREFLIGHT_URL) route.url = UNREACHABLE_URL;
      else if (route.url !== FALLBACK_URL) table.add([route.method].flat(), route.url, route.config ?? {});
    });
    return table;
  }

  /** The methods that the path of this target answers; empty for an unknown path. */
  methodsAt(target: string): string[] {
    return METHODS.filter((method) => this.router.find(method, target) !== null);
  }

  /** Finds the route of a request. To be called once, by the first hook. */
  resolve(request: FastifyRequest): RequestRoute {
    const { url, config } = request.routeOptions;
    if (url !== undefined && url !== FALLBACK_URL) {
      const settings = config as RouteSettings;
      return (request.route = { scope: settings.open ? 'open' : 'api', isFallback: false, ...settings });
    }
    return (request.route = { scope: this.scopeOfUnmatched(request), isFallback: true });
  }

  private add(methods: string[], url: string, settings: RouteSettings): void {
    for (const method of methods as HTTPMethod[]) {
      if (this.router.hasRoute(method, url)) continue;
      this.router.on(method, url, () => undefined, settings);
      this.routes.push({ method, url, settings });
    }
  }

  private scopeOfUnmatched(request: FastifyRequest): RouteScope {
    const path = decodedPath(request.originalUrl);
    if (path === '/v1' || path.startsWith('/v1/')) return 'api';
    const target = request.raw.url ?? '/';
    const isOpen = METHODS.some(
      (method) => (this.router.find(method, target)?.store as RouteSettings | undefined)?.open,
    );
    return isOpen || path.startsWith(OPEN_PREFIX) ? 'open' : 'unknown';
  }
}

interface RequestRoute extends RouteSettings {
  scope: RouteScope;
  /** There is neither an operation nor a page with this path and method. */
  isFallback: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Fastify builds `routeOptions` again at every access, so the result of `resolve` is kept here. */
    route?: RequestRoute;
  }
}

/** The route that answers a request. */
export function routeOf(request: FastifyRequest): RequestRoute {
  const { route } = request;
  if (!route) throw new Error('no route yet: the first onRequest hook has not run');
  return route;
}
