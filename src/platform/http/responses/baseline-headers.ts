import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../common/errors/errors.js';
import type { OperationTraits, Sunset } from '../operations/operation.decorator.js';
import { routeOf } from '../requests/route-scope.js';
import type { Links } from './links.js';
import {
  CACHE_CONTROL,
  CONTENT_TYPE_OPTIONS,
  DEPRECATION,
  LINK,
  REQUEST_ID,
  STABILITY,
  SUNSET,
} from './response-headers.js';

const ACCEPTED_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const ONE_YEAR_SECONDS = 31_536_000;

/** The caller's request id when it is safe for a log line, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED_REQUEST_ID.test(given) ? given : randomUUID();
}

/** Headers that do not depend on the result of a request. They are set before anything can fail. */
export class BaselineHeaders {
  private readonly common: Readonly<Record<string, string>>;
  private readonly ofApi: Readonly<Record<string, string>>;
  private readonly ofOperations = new Map<OperationTraits, Readonly<Record<string, string>>>();

  constructor(
    private readonly links: Links,
    publicBaseUrl: string | undefined,
  ) {
    this.common = {
      [CONTENT_TYPE_OPTIONS.name]: CONTENT_TYPE_OPTIONS.schema.const,
      ...strictTransportSecurity(publicBaseUrl),
    };
    this.ofApi = { ...this.common, [CACHE_CONTROL.name]: CACHE_CONTROL.schema.const };
  }

  apply(request: FastifyRequest, reply: FastifyReply): void {
    void reply.header(REQUEST_ID.name, request.id).headers(this.headersFor(request));
  }

  /** For a message that the HTTP parser refused: it may have been for the API. */
  ofRefusedMessage(requestId: string, code?: ErrorCode): Readonly<Record<string, string>> {
    const headers = { [REQUEST_ID.name]: requestId, ...this.ofApi };
    return code === undefined ? headers : { ...headers, [LINK.name]: this.links.help(code) };
  }

  private headersFor(request: FastifyRequest): Readonly<Record<string, string>> {
    const { scope, operation } = routeOf(request);
    if (scope !== 'api') return this.common;
    if (!operation) return this.ofApi;
    let headers = this.ofOperations.get(operation);
    if (!headers) {
      const deprecation = operation.sunset ? this.deprecationHeaders(operation.sunset) : {};
      headers = { ...this.ofApi, [STABILITY.name]: operation.stability, ...deprecation };
      this.ofOperations.set(operation, headers);
    }
    return headers;
  }

  /** RFC 9745 (Deprecation), RFC 8594 (Sunset). */
  private deprecationHeaders({ deprecatedAt, removedAt, successor }: Sunset): Record<string, string> {
    return {
      [DEPRECATION.name]: `@${String(deprecatedAt.getTime() / 1000)}`,
      [SUNSET.name]: removedAt.toUTCString(),
      [LINK.name]: [
        `<${this.links.to(successor)}>; rel="successor-version"`,
        `<${this.links.docs}>; rel="deprecation"; type="text/html"`,
      ].join(', '),
    };
  }
}

/** RFC 6797. The service speaks plain HTTP; the public address says whether callers reach it by TLS. */
function strictTransportSecurity(publicBaseUrl: string | undefined): Record<string, string> {
  if (!publicBaseUrl?.startsWith('https:')) return {};
  return { 'Strict-Transport-Security': `max-age=${String(ONE_YEAR_SECONDS)}` };
}
