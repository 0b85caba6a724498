import type { FastifyInstance, FastifyRequest } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { decodedPath } from './request-target.js';
import type { RouteSettings } from './operation.decorator.js';
import { RequestSlot } from './request-slot.js';

/**
 * Where a request is headed. `api`: under `/v1`, needs a key and is counted. `open`: documentation,
 * health, usage; neither. `elsewhere`: nothing lives there; counted, but no key is asked for.
 */
export type Surface = 'api' | 'open' | 'elsewhere';

const METHODS: readonly HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPEN_PREFIX = '/health/';

/** The application's route table, for dependency injection. */
export const ROUTE_TABLE = Symbol('ROUTE_TABLE');

/**
 * The routes of the application as a second router, asked only when nothing was found: which methods
 * would this path answer, and is it open? Fastify itself answers 404 to a wrong method.
 */
export class RouteTable {
  /** Everything this server answers, as Fastify was told. */
  readonly routes: { method: string; url: string; settings: RouteSettings }[] = [];
  private readonly router = createRouter();

  /** Call before any route is registered. */
  static watch(fastify: FastifyInstance): RouteTable {
    const table = new RouteTable();
    fastify.addHook('onRoute', (route) => {
      const settings = (route.config ?? {}) as RouteSettings;
      for (const method of [route.method].flat() as HTTPMethod[]) {
        // The wildcard that answers preflights is no path of the service.
        if (route.url === '*' || table.router.hasRoute(method, route.url)) continue;
        table.router.on(method, route.url, () => undefined, settings);
        table.routes.push({ method, url: route.url, settings });
      }
    });
    return table;
  }

  /** The methods that the path of this target answers; empty where nothing lives. */
  methodsAt(target: string): string[] {
    return METHODS.filter((method) => this.settingsAt(method, target) !== undefined);
  }

  isOpen(target: string): boolean {
    return METHODS.some((method) => this.settingsAt(method, target)?.open === true);
  }

  private settingsAt(method: HTTPMethod, target: string): RouteSettings | undefined {
    const found = this.router.find(method, target);
    if (!found || hasEmptyParameter(found.params)) return undefined;
    return found.store as RouteSettings;
  }
}

const surfaces = new RequestSlot<Surface>('surface');

interface Routing {
  isUnrouted: boolean;
  settings: RouteSettings;
}

const routings = new RequestSlot<Routing>('routing');
const NOWHERE: Routing = { isUnrouted: true, settings: {} };

/** Under which rules a request falls, whether a route was found for it or not. */
export function surfaceOf(request: FastifyRequest, routes: RouteTable): Surface {
  return surfaces.get(request) ?? surfaces.set(request, findSurface(request, routes));
}

function findSurface(request: FastifyRequest, routes: RouteTable): Surface {
  if (!isUnrouted(request)) return settingsOf(request).open ? 'open' : 'api';
  const path = decodedPath(request.originalUrl);
  if (path === '/v1' || path.startsWith('/v1/')) return 'api';
  return path.startsWith(OPEN_PREFIX) || routes.isOpen(request.raw.url ?? '/') ? 'open' : 'elsewhere';
}

/** No operation answers this request. */
export function isUnrouted(request: FastifyRequest): boolean {
  return routingOf(request).isUnrouted;
}

/** What the operation that answers this request was declared with; nothing where none does. */
export function settingsOf(request: FastifyRequest): RouteSettings {
  return routingOf(request).settings;
}

function routingOf(request: FastifyRequest): Routing {
  return routings.get(request) ?? routings.set(request, findRouting(request));
}

function findRouting(request: FastifyRequest): Routing {
  // Fastify makes routeOptions anew at every look.
  const { url, config } = request.routeOptions;
  // `*` is the route that @fastify/cors keeps for preflights. Of an empty parameter Fastify thinks better only after its hooks.
  if (request.is404 || url === '*' || hasEmptyParameter(request.params as object)) return NOWHERE;
  return { isUnrouted: false, settings: config as RouteSettings };
}

/** A parameter is never empty: `/pets/` is not `/pets/{petId}`. */
function hasEmptyParameter(parameters: object): boolean {
  return Object.values(parameters).includes('');
}
