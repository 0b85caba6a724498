import type { FastifyInstance, FastifyRequest } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { MAX_HEADER_BYTES } from '../../common/size-limits.js';
import type { OperationTraits, RouteSettings } from '../operations/operation.decorator.js';
import { decodedPath } from './malformed-request.js';

/**
 * The rules that apply to a request. `api`: below `/v1`, needs a key and is counted. `open`: documentation, health and pages;
 * needs no key and is not counted. `unknown`: any other path; counted against the address, answered with 404.
 */
export type RouteScope = 'api' | 'open' | 'unknown';

/** What is known of a request once it is routed. It is made when the route is registered, never for a request. */
export interface Route extends RouteSettings {
  scope: RouteScope;
  /** The pattern, such as `/v1/pets/:petId`. Undefined: nothing has this path and method, and FallbackController answers. */
  url: string | undefined;
  /** The headers of every response. */
  headers: Readonly<Record<string, string>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    /** Fastify builds `routeOptions` again at every access, so the result of `resolve` is kept here. */
    route?: Route;
  }
}

const METHODS: readonly HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPEN_PREFIX = '/health/';
/** The route of FallbackController, as Nest registers it. */
const FALLBACK_URL = '/*';

/** Prepares every route, and knows the methods of a path: a second router over the same routes. */
export class RouteTable {
  /** Every route of the server but the fallback. */
  readonly routes: { method: string; url: string; settings: RouteSettings }[] = [];
  private readonly router = createRouter({ maxParamLength: MAX_HEADER_BYTES });
  private readonly unmatched: Readonly<Record<RouteScope, Route>>;

  /** Call before any route is registered. */
  constructor(
    fastify: FastifyInstance,
    headersOf: (scope: RouteScope, operation?: OperationTraits) => Route['headers'],
  ) {
    const unmatched = (scope: RouteScope): Route => ({ scope, url: undefined, headers: headersOf(scope) });
    this.unmatched = { api: unmatched('api'), open: unmatched('open'), unknown: unmatched('unknown') };
    fastify.addHook('onRoute', (options) => {
      const { url } = options;
      if (url === FALLBACK_URL) return;
      const settings = (options.config ?? {}) as RouteSettings;
      const scope = settings.open ? 'open' : 'api';
      const route = { ...settings, scope, url, headers: headersOf(scope, settings.operation) } as const;
      options.config = { ...options.config, route };
      for (const method of [options.method].flat() as HTTPMethod[]) this.add(method, url, route);
    });
  }

  private add(method: HTTPMethod, url: string, route: Route): void {
    if (this.router.hasRoute(method, url)) return;
    this.router.on(method, url, () => undefined, route);
    this.routes.push({ method, url, settings: route });
  }

  /** The methods that the path of this target answers; empty for an unknown path. */
  methodsAt(target: string): string[] {
    return METHODS.filter((method) => this.router.find(method, target) !== null);
  }

  /** Finds the route of a request. To be called once, by the first hook. */
  resolve(request: FastifyRequest): Route {
    return (request.route =
      request.routeOptions.config.route ?? this.unmatched[this.scopeOfUnmatched(request)]);
  }

  private scopeOfUnmatched(request: FastifyRequest): RouteScope {
    const path = decodedPath(request.originalUrl);
    if (path === '/v1' || path.startsWith('/v1/')) return 'api';
    const target = request.raw.url ?? '/';
    const isOpen = METHODS.some(
      (method) => (this.router.find(method, target)?.store as Route | undefined)?.open,
    );
    return isOpen || path.startsWith(OPEN_PREFIX) ? 'open' : 'unknown';
  }
}

/** The route that answers a request. */
export function routeOf(request: FastifyRequest): Route {
  const { route } = request;
  if (!route) throw new Error('no route yet: the first onRequest hook has not run');
  return route;
}
