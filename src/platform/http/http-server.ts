import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_HEADER_BYTES } from '../common/size-limits.js';
import type { Config } from '../config/config.js';
import { admitRequest, clientErrorHandler, type RefusalHeaders } from './requests/connection.js';
import { RequestMessage } from './requests/request-message.js';
import { routableTarget } from './requests/malformed-request.js';
import { requestIdOf } from './responses/baseline-headers.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_MS = 5_000;
/** A connection on which nothing moves is closed. Longer than the slowest request, which gets its 408 first. */
const SILENCE_TIMEOUT_MS = 40_000;

type FastifyOptions = ConstructorParameters<typeof FastifyAdapter<Server>>[0];
type ServerOptions = Pick<Config, 'trustProxy' | 'keepAliveMs'>;

/** The options of Fastify and of Node's HTTP server. `headersOfRefusal`: for what the HTTP parser refuses. */
export function fastifyOptions(config: ServerOptions, headersOfRefusal: RefusalHeaders): FastifyOptions {
  const { trustProxy } = config;
  return {
    // No Nest middleware is used, and its support costs every request.
    skipMiddie: true,
    // Fastify ignores a bare number, so it becomes a function of the hop.
    trustProxy:
      typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
    serverFactory: (handle: RequestListener) => createHttpServer(handle, config),
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request: IncomingMessage) => routableTarget(request.url ?? '/'),
    clientErrorHandler: clientErrorHandler(headersOfRefusal),
    // A request that arrives while the service drains is answered like any other.
    return503OnClosing: false,
    // Nest's pipes validate. Fastify would load ajv at every start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  } as FastifyOptions;
}

function noSchemas(): never {
  throw new Error('a route has a Fastify schema');
}

/** Node's HTTP server with its own timeouts and limits. The reverse proxy in front has the others. */
export function createHttpServer(
  handle: RequestListener,
  { keepAliveMs, trustProxy }: ServerOptions,
): Server {
  const server = createServer({
    IncomingMessage: RequestMessage,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node would answer with an empty 400; malformedRequest() answers with the Error body.
    requireHostHeader: false,
  });
  const dispatch: RequestListener = (request, response) => {
    if (!admitRequest(request.socket, response)) return;
    if (trustProxy !== false) cutForwardedPorts(request);
    handle(request, response);
  };
  server.on('request', dispatch);
  // Node would send 100 Continue before the guards run; BodyGuard sends it.
  server.on('checkContinue', dispatch);
  // Node keeps the address from the first read on. A lost connection has none, and its request is still logged.
  server.on('connection', (socket) => Reflect.get(socket, 'remoteAddress'));
  // No header is dropped unseen; together they are bounded in bytes.
  server.maxHeadersCount = 0;
  server.setTimeout(SILENCE_TIMEOUT_MS);
  return server;
}

const ADDRESS_WITH_PORT = /^\s*(?:(\d+\.\d+\.\d+\.\d+)(?::\d+)?|\[([\da-f:.]+)\](?::\d+)?)\s*$/i;

/** Some proxies write the port behind the address; it must not become a part of the caller. */
function cutForwardedPorts({ headers }: IncomingMessage): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string' || !forwarded.includes(':')) return;
  headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((entry) => {
      const [, v4, v6] = ADDRESS_WITH_PORT.exec(entry) ?? [];
      return v4 ?? v6 ?? entry;
    })
    .join(',');
}
