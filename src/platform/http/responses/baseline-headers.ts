import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config.js';
import type { OperationTraits, Sunset } from '../operations/operation.decorator.js';
import type { RouteScope } from '../requests/route-scope.js';
import type { Links } from './links.js';
import {
  CACHE_CONTROL,
  CONTENT_TYPE_OPTIONS,
  DEPRECATION,
  keptName,
  LINK,
  REQUEST_ID,
  STABILITY,
  SUNSET,
} from './response-headers.js';

const ACCEPTED_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const ONE_YEAR_SECONDS = 31_536_000;

type Headers = Readonly<Record<string, string>>;

/** The caller's request id when it is safe for a log line, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED_REQUEST_ID.test(given) ? given : randomUUID();
}

/** Headers that do not depend on the result of a request. They are set before anything can fail. */
export class BaselineHeaders {
  private readonly common: Headers;

  constructor(
    private readonly links: Links,
    { publicBaseUrl, sandbox }: Pick<Config, 'publicBaseUrl' | 'sandbox'>,
  ) {
    this.common = {
      [CONTENT_TYPE_OPTIONS.name]: CONTENT_TYPE_OPTIONS.schema.const,
      // RFC 6797. The service speaks plain HTTP; the public address says whether callers reach it by TLS.
      ...(publicBaseUrl?.startsWith('https:') && {
        'Strict-Transport-Security': `max-age=${String(ONE_YEAR_SECONDS)}`,
      }),
      ...(sandbox && { 'X-Sandbox': 'true' }),
    };
  }

  /** Of every response of a route; the request id comes with the request. */
  of(scope: RouteScope, operation?: OperationTraits): Headers {
    if (scope !== 'api') return kept(this.common);
    return kept({
      ...this.common,
      [CACHE_CONTROL.name]: CACHE_CONTROL.schema.const,
      ...(operation && { [STABILITY.name]: operation.stability }),
      ...(operation?.sunset && this.deprecation(operation.sunset)),
    });
  }

  /** For a message that the HTTP parser refused: it may have been for the API. */
  ofRefusedMessage(requestId: string, code: string): Headers {
    return { [REQUEST_ID.name]: requestId, ...this.of('api'), [LINK.name]: this.links.help(code) };
  }

  /** RFC 9745 (Deprecation), RFC 8594 (Sunset). */
  private deprecation({ deprecatedAt, removedAt, successor }: Sunset): Headers {
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

function kept(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [keptName({ name }), value]));
}
