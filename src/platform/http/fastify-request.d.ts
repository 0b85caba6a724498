import type { Route } from './requests/route-scope.js';

/* What the service keeps on a request. src/auth/caller.ts adds the caller. */

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }

  interface FastifyRequest {
    /** Fastify builds `routeOptions` again at every access, so the result of `resolve` is kept here. */
    route?: Route;
    /** The bytes of the body, set by BodyGuard. */
    rawBody?: Buffer;
    /** When CapacityGuard admitted it; undefined while it is not under way. */
    underWaySinceMs?: number | undefined;
    /** Whether its handler has checked the precondition; undefined where it takes none. */
    isPreconditionChecked?: boolean;
    /** Runs its handler once for all requests with its `Idempotency-Key`; undefined where it has none. */
    once?: (work: () => Promise<object>) => Promise<string>;
    /** The code of the error this request was answered with, for the log. */
    errorCode?: string;
  }
}
