import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_TARGET_BYTES } from '../../common/errors/errors.js';
import type { Config } from '../../config/config.js';
import { routableTarget } from '../requests/request-target.js';
import { requestIdOf } from '../responses/baseline-headers.js';
import { clientErrorHandler, type ClientErrorOptions } from './client-error.js';
import { createHttpServer } from './http-server.js';

type FastifyOptions = ConstructorParameters<typeof FastifyAdapter<Server>>[0];

export type ServerOptions = ClientErrorOptions & Pick<Config, 'trustProxy' | 'maxConnections'>;

/** The options of Fastify and of Node's HTTP server. */
export function fastifyOptions({ trustProxy, maxConnections, ...onError }: ServerOptions): FastifyOptions {
  return {
    // No Nest middleware is used, and its support costs every request.
    skipMiddie: true,
    // Fastify takes a bare number for no trust at all; the operator who counts hops vouches for them.
    trustProxy:
      typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
    serverFactory: (handle: RequestListener) =>
      createHttpServer(handle, {
        maxConnections,
        trustsProxy: trustProxy !== false,
        headersOf: onError.headersOf,
      }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request: IncomingMessage) => routableTarget(request.url ?? '/'),
    clientErrorHandler: clientErrorHandler(onError),
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
