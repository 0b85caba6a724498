import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from './metrics.js';
import { isForeignHost } from './scrape-host.js';

/** RFC 9110, section 15.5.20. */
const MISDIRECTED_REQUEST = 421;

/** Serves GET /metrics on its own port, without keys and limits, and answers 404 to everything else, and 421 to a foreign `Host`. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: FastifyInstance | undefined;

  constructor(
    @Inject(Metrics) private readonly metrics: Metrics | null,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Does nothing when metrics are off. @throws Error with one line for the operator when the port cannot be opened. */
  async listen(): Promise<void> {
    const { metrics } = this;
    if (!metrics) return;
    const { fastify } = await import('fastify');
    const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
    server.addHook('onRequest', async (request, reply) => {
      if (!isForeignHost(request.headers.host, this.config.metrics.host)) return;
      await reply
        .code(MISDIRECTED_REQUEST)
        .send('Host: expected an address, a name without a dot or of a private network, or METRICS_HOST\n');
    });
    server.get('/metrics', async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.render()),
    );
    server.addHook('onError', async (_request, _reply, error) =>
      this.logger.error({ err: error }, 'the metrics cannot be read'),
    );
    const url = await server.listen(this.config.metrics).catch((error: unknown) => {
      throw new Error(`METRICS_PORT: metrics cannot be served: ${(error as Error).message}`, {
        cause: error,
      });
    });
    // A failure of this port must not end the service.
    server.server.on('error', (error) => this.logger.error({ err: error }, 'the metrics port failed'));
    this.server = server;
    this.logger.log({ url: `${url}/metrics` }, 'serving metrics');
  }

  // Nest calls this once the API has closed, so that its last requests can still be scraped.
  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
