import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { badRequest } from '../../common/errors/common.errors.js';
import { MAX_TARGET_BYTES } from '../../common/errors/errors.js';
import type { Config } from '../../config/config.js';
import { failBody } from '../requests/raw-body.js';
import { routableTarget } from '../requests/request-target.js';
import { requestIdOf } from '../responses/baseline-headers.js';
import { clientErrorHandler, type ClientErrorOptions } from './client-error.js';
import { afterResponses, beginExchange, boundedMessages, UnusedConnections } from './connections.js';

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
  const unused = new UnusedConnections(server);
  const dispatch: RequestListener = (request, response) => {
    if (!beginExchange(request, response)) return;
    joinSmallChunks(request, () => unused.readOneByOne());
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

/** A chunk costs processor time whatever its size. A body of 64 KiB in chunks of 16 bytes has this many. */
const MAX_CHUNKS = 4_096;
/**
 * From this number on, unused connections are read one per iteration of the event loop. Parsing this many chunks takes about
 * 1 ms. Node parses 64 KiB, up to 11,000 chunks of one byte, in one step that cannot be interrupted.
 */
const MANY_CHUNKS = 1_024;
const SMALL_CHUNK_BYTES = 1_024;
const BLOCK_BYTES = 4 * 1_024;

const tooManyChunks = () => badRequest(`The body may come in at most ${MAX_CHUNKS} chunks.`);

/**
 * While the guards run the body is unread, and Node would keep one Buffer for each chunk and count only its bytes. Small chunks
 * are copied into one block until the body is read. `onManyChunks` is called once.
 */
function joinSmallChunks(message: IncomingMessage, onManyChunks: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return;
  const push = message.push.bind(message);
  const read = message._read.bind(message);
  let chunks = 0;
  let isRefused = false;
  let block = Buffer.alloc(0);
  let start = 0;
  let end = 0;
  const flush = (): boolean => {
    if (start === end) return true;
    const joined = block.subarray(start, end);
    start = end;
    return push(joined);
  };
  message.push = (chunk: Buffer | null): boolean => {
    if (isRefused) return true;
    if (chunk !== null) chunks += 1;
    if (chunks === MANY_CHUNKS) onManyChunks();
    if (chunks > MAX_CHUNKS) {
      isRefused = true;
      failBody(message, tooManyChunks());
      // Node pauses the socket. Later pushes return true, because pausing again for each remaining chunk is expensive.
      return false;
    }
    if (chunk === null || chunk.length > SMALL_CHUNK_BYTES || message.readableFlowing === true) {
      flush();
      return push(chunk);
    }
    let hasRoom = true;
    if (end + chunk.length > block.length) {
      hasRoom = flush();
      block = Buffer.allocUnsafe(BLOCK_BYTES);
      start = end = 0;
    }
    end += chunk.copy(block, end);
    return hasRoom;
  };
  message._read = (bytes: number): void => {
    if (isRefused) return;
    flush();
    read(bytes);
  };
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
