import type { IncomingMessage, Server } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { parseQueryString } from './query-string.js';
import { requestIdOf } from './request-id.js';
import { routableTarget } from './request-target.js';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from '../errors/common.errors.js';
import { parserErrorHandler, type AnswerCustoms } from './parser-errors.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_MS = 5_000;
/**
 * Of the target and the headers together. Well above the limits that each has, so that a long target is found in its turn, after a
 * missing key.
 */
const PARSER_LIMIT_BYTES = 48 * 1024;

type FastifyOptions = ConstructorParameters<typeof FastifyAdapter<Server>>[0];

/** How Fastify and Node's HTTP server are set up. `trustProxy`: whose X-Forwarded-For is believed. */
export function fastifyOptions(
  trustProxy: false | number | string[],
  customs: AnswerCustoms,
): FastifyOptions {
  return {
    // No Nest middleware is used, and its support costs every request.
    skipMiddie: true,
    // Fastify takes a bare number for no trust at all; the operator who counts hops vouches for them.
    trustProxy:
      typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request: IncomingMessage) => routableTarget(request.url ?? '/'),
    clientErrorHandler: parserErrorHandler(customs),
    // A request that arrives while the service drains is answered like any other.
    return503OnClosing: false,
    routerOptions: { querystringParser: parseQueryStringForFastify, maxParamLength: MAX_TARGET_BYTES },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: PARSER_LIMIT_BYTES,
      // Node would answer with an empty 400; request-framing.ts answers with the Error body.
      requireHostHeader: false,
    },
  } as FastifyOptions;
}

// Fastify's type knows plain objects only; the validation pipe is the one reader of `request.query`.
function parseQueryStringForFastify(text: string): Record<string, unknown> {
  return parseQueryString(text) as unknown as Record<string, unknown>;
}
