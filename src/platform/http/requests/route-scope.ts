import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationTraits, RouteSettings } from '../operations/operation.decorator.js';
import { segmentsOf } from './malformed-request.js';

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
  /** The methods that the path answers, where the request has another one. */
  allowed?: ReadonlySet<string>;
}

const OPEN_PREFIX = '/health/';
/** The route of FallbackController, as Nest registers it. */
const FALLBACK_URL = '/*';

/** Prepares every route, and what a request gets that no route matches: a wrong method, or an unknown path. */
export class RouteTable {
  /** By pattern: its segments, its methods, and the route of a request with another method. */
  private readonly paths = new Map<
    string,
    { segments: string[]; allowed: Set<string>; wrongMethod: Route }
  >();
  private readonly unknownPath: Readonly<Record<RouteScope, Route>>;

  /** Call before any route is registered. */
  constructor(
    fastify: FastifyInstance,
    headersOf: (scope: RouteScope, operation?: OperationTraits) => Route['headers'],
  ) {
    const unmatched = (scope: RouteScope) => ({ scope, url: undefined, headers: headersOf(scope) });
    this.unknownPath = { api: unmatched('api'), open: unmatched('open'), unknown: unmatched('unknown') };
    fastify.addHook('onRoute', (options) => {
      const { url } = options;
      if (url === FALLBACK_URL) return;
      const settings = (options.config ?? {}) as RouteSettings;
      const scope = settings.open ? 'open' : 'api';
      const route = { ...settings, scope, url, headers: headersOf(scope, settings.operation) } as const;
      options.config = { ...options.config, route };
      const allowed = this.paths.get(url)?.allowed ?? new Set<string>();
      for (const method of [options.method].flat()) allowed.add(method);
      const wrongMethod = { ...unmatched(scope), allowed };
      this.paths.set(url, { segments: url.split('/'), allowed, wrongMethod });
    });
  }

  /** Finds the route of a request. To be called once, by the first hook. */
  resolve(request: FastifyRequest): Route {
    return (request.route =
      request.routeOptions.config.route ?? this.unmatched(segmentsOf(request.originalUrl)));
  }

  private unmatched(given: string[]): Route {
    const [found, ...others] = [...this.paths.values()].filter(({ segments }) => hasShape(given, segments));
    // A path may be a fixed one and have the shape of another, as /pets/batch has the shape of /pets/:petId.
    if (found && others.length > 0) {
      const allowed = [found, ...others].flatMap((path) => [...path.allowed]);
      return { ...found.wrongMethod, allowed: new Set(allowed) };
    }
    if (found) return found.wrongMethod;
    const path = given.join('/');
    if (path === '/v1' || path.startsWith('/v1/')) return this.unknownPath.api;
    return this.unknownPath[path.startsWith(OPEN_PREFIX) ? 'open' : 'unknown'];
  }
}

const hasShape = (given: string[], pattern: string[]) =>
  given.length === pattern.length &&
  pattern.every((part, at) => (part.startsWith(':') ? given[at] !== '' : given[at] === part));

/** The route that answers a request. */
export function routeOf(request: FastifyRequest): Route {
  const { route } = request;
  if (!route) throw new Error('no route yet: the first onRequest hook has not run');
  return route;
}
