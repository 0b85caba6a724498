import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_TARGET_BYTES } from '../../common/errors/errors.js';
import type { Config } from '../../config/config.js';
import { IncomingBody } from '../requests/raw-body.js';
import { routableTarget } from '../requests/request-target.js';
import { requestIdOf } from '../responses/baseline-headers.js';
import { clientErrorHandler, type ClientErrorOptions } from './client-error.js';
import { afterResponses, beginExchange, boundedMessages, Connections } from './connections.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_MS = 5_000;
/** A connection on which nothing moves is closed. Longer than the slowest request, which gets its 408 first. */
const SILENCE_TIMEOUT_MS = 40_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/**
 * For the target and the headers together. Well above their own limits (8 and 16 KiB), so that a long target reaches the guards:
 * without a key it gets 401, not 414.
 */
const PARSER_LIMIT_BYTES = 48 * 1024;

type FastifyOptions = ConstructorParameters<typeof FastifyAdapter<Server>>[0];

type ServerOptions = ClientErrorOptions & Pick<Config, 'trustProxy' | 'maxConnections'>;

/** The options of Fastify and of Node's HTTP server. */
export function fastifyOptions(options: ServerOptions): FastifyOptions {
  const { trustProxy } = options;
  return {
    // No Nest middleware is used, and its support costs every request.
    skipMiddie: true,
    // Fastify ignores a bare number, so it becomes a function of the hop.
    trustProxy:
      typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
    serverFactory: (handle: RequestListener) => createHttpServer(handle, options),
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request: IncomingMessage) => routableTarget(request.url ?? '/'),
    clientErrorHandler: clientErrorHandler(options),
    // A request that arrives while the service drains is answered like any other.
    return503OnClosing: false,
    // Nest's pipes validate. Fastify would load ajv at every start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: MAX_TARGET_BYTES },
  } as FastifyOptions;
}

function noSchemas(): never {
  throw new Error('a route has a Fastify schema');
}

/** Node's HTTP server with bounds on what one connection, and all of them together, may hold. */
export function createHttpServer(
  handle: RequestListener,
  { maxConnections, trustProxy, headersOf }: Omit<ServerOptions, 'onRefused'>,
): Server {
  const server = createServer({
    ...boundedMessages,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: PARSER_LIMIT_BYTES,
    // Node would answer with an empty 400; RequestFramingGuard answers with the Error body.
    requireHostHeader: false,
  });
  const connections = new Connections(server);
  const dispatch: RequestListener = (request, response) => {
    if (!beginExchange(request, response)) return;
    IncomingBody.collect(request, connections);
    if (trustProxy !== false) cutForwardedPorts(request);
    // In the next tick, because a later message of the same read may close the connection. Its requests are then skipped.
    process.nextTick(() => {
      if (!request.socket.destroyed) handle(request, response);
    });
  };
  server.on('request', dispatch);
  // Node would send 100 Continue before the guards run; BodyGuard sends it.
  server.on('checkContinue', dispatch);
  // No error code has the status 417, so the response has no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (!beginExchange(request, response)) return;
    response.writeHead(417, { ...headersOf(requestIdOf(request)), 'Content-Length': 0 }).end();
  });
  server.on('connect', (_request, socket: Socket) => afterResponses(socket, () => socket.destroySoon()));
  // No header is dropped unseen; together they are bounded in bytes.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
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
