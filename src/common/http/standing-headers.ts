import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Links } from './links.js';
import type { OperationTraits, Sunset } from './operation.decorator.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { settingsOf, surfaceOf, type RouteTable } from './surface.js';

/** Headers that do not depend on how a request ends: set before anything can fail. */
export class StandingHeaders {
  private readonly everywhere: Readonly<Record<string, string>>;
  /** Of what lies under `/v1` and is no operation. */
  private readonly ofApi: Readonly<Record<string, string>>;
  /** The same on every answer of an operation. */
  private readonly ofOperations = new Map<OperationTraits, Readonly<Record<string, string>>>();

  /** `ofTransport`: what every answer has on account of TLS (transport-security.ts). */
  constructor(
    private readonly routes: RouteTable,
    private readonly links: Links,
    ofTransport: Record<string, string>,
  ) {
    this.everywhere = { 'X-Content-Type-Options': 'nosniff', ...ofTransport };
    this.ofApi = { ...this.everywhere, 'Cache-Control': 'private, no-cache' };
  }

  apply(request: FastifyRequest, reply: FastifyReply): void {
    void reply.header(REQUEST_ID_HEADER, request.id).headers(this.of(request));
  }

  /** All of them but the request's id. Undefined: a request that was not understood, which may have been for the API. */
  of(request: FastifyRequest | undefined): Readonly<Record<string, string>> {
    if (!request) return this.ofApi;
    if (surfaceOf(request, this.routes) !== 'api') return this.everywhere;
    const { operation } = settingsOf(request);
    if (!operation) return this.ofApi;
    let headers = this.ofOperations.get(operation);
    if (!headers) {
      const farewell = operation.sunset ? this.sunsetHeaders(operation.sunset) : {};
      headers = { ...this.ofApi, 'X-Stability': operation.stability, ...farewell };
      this.ofOperations.set(operation, headers);
    }
    return headers;
  }

  /** RFC 9745 (Deprecation), RFC 8594 (Sunset). */
  private sunsetHeaders({ deprecatedAt, removedAt, successor }: Sunset): Record<string, string> {
    return {
      Deprecation: `@${String(deprecatedAt.getTime() / 1000)}`,
      Sunset: removedAt.toUTCString(),
      Link: [
        `<${this.links.to(successor)}>; rel="successor-version"`,
        `<${this.links.docs}>; rel="deprecation"; type="text/html"`,
      ].join(', '),
    };
  }
}
