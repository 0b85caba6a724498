import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Links } from './links.js';
import type { Sunset } from './operation.decorator.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { settingsOf, surfaceOf, type RouteTable } from './surface.js';

/** Headers that do not depend on how a request ends: set before anything can fail. */
export class StandingHeaders {
  /** Of each operation that is to go: the same on every answer. */
  private readonly farewells = new Map<Sunset, Record<string, string>>();

  constructor(
    private readonly routes: RouteTable,
    private readonly links: Links,
    /** What every answer has on account of TLS: transport-security.ts. */
    private readonly ofTransport: Record<string, string>,
  ) {}

  apply(request: FastifyRequest, reply: FastifyReply): void {
    void reply.header(REQUEST_ID_HEADER, request.id).header('X-Content-Type-Options', 'nosniff');
    void reply.headers(this.ofTransport);
    if (surfaceOf(request, this.routes) !== 'api') return;
    void reply.header('Cache-Control', 'private, no-cache');
    const { operation } = settingsOf(request);
    if (!operation) return;
    void reply.header('X-Stability', operation.stability);
    if (operation.sunset) void reply.headers(this.sunsetHeaders(operation.sunset));
  }

  /** RFC 9745 (Deprecation), RFC 8594 (Sunset). */
  private sunsetHeaders(sunset: Sunset): Record<string, string> {
    const known = this.farewells.get(sunset);
    if (known) return known;
    const headers = {
      Deprecation: `@${String(sunset.deprecatedAt.getTime() / 1000)}`,
      Sunset: sunset.removedAt.toUTCString(),
      Link: [
        `<${this.links.to(sunset.successor)}>; rel="successor-version"`,
        `<${this.links.docs}>; rel="deprecation"; type="text/html"`,
      ].join(', '),
    };
    this.farewells.set(sunset, headers);
    return headers;
  }
}
