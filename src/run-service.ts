import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { SERVICE } from './auth/keys/api-key.js';
import { ApiKeysService } from './auth/keys/api-keys.service.js';
import { BackgroundTasks } from './platform/common/background-tasks.js';
import { Lifecycle } from './platform/common/lifecycle.js';
import type { Config } from './platform/config/config.js';
import { DatabaseStarter } from './platform/database/start/database-starter.js';
import type { EmbeddedDatabase } from './platform/database/start/embedded-database.js';
import { MetricsServer } from './platform/telemetry/metrics/metrics-server.js';

/** Durations that a test shortens. */
export interface Durations {
  /** How long a request under way may take to end once the service closes. */
  closeWithinMs: number;
  /** The pause of every background task; undefined: each has its own. */
  taskPauseMs?: number;
}
const DURATIONS: Durations = { closeWithinMs: 10_000 };
/** New connections wait in this queue of the kernel. When it is full, a client tries again after 1 s, then after 3 s. */
const LISTEN_BACKLOG = 4_096;

/**
 * Runs the service from listening to the end of the process. Health checks are answered from the first moment on.
 * `embedded`: the embedded database while it opens; undefined with a PostgreSQL server. `onStopSignal`: takes what to do on a signal.
 */
export async function runService(
  app: NestFastifyApplication,
  config: Config,
  logger: Logger,
  embedded: Promise<EmbeddedDatabase> | undefined,
  onStopSignal: (drain: (signal: NodeJS.Signals) => void) => void,
  durations = DURATIONS,
): Promise<void> {
  const lifecycle = app.get(Lifecycle);
  onStopSignal(drainOf(app, lifecycle, config, logger, durations.closeWithinMs));
  try {
    await app.get(MetricsServer).listen();
    await app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG });
    const url = await app.getUrl();
    logger.info({ url }, 'listening');
    await app.get(DatabaseStarter).startForService(embedded);
    const demoKey = embedded && !config.production ? await issueDemoKey(app.get(ApiKeysService)) : undefined;
    // A signal may have come meanwhile.
    if (lifecycle.state === 'starting') {
      lifecycle.state = 'serving';
      app.get(BackgroundTasks).start(durations.taskPauseMs);
      logger.info({ url, database: config.database.url === undefined ? 'embedded' : 'postgresql' }, 'ready');
    }
    // Once issued it must be shown: the next start finds a key and issues no other.
    if (demoKey !== undefined) greet(url, demoKey);
  } catch (error) {
    // A signal during the start closes what the start is waiting for.
    if (lifecycle.state !== 'draining') throw error;
  }
}

/** Issues a free key and resolves with its secret; undefined if there is a key already. A newcomer needs one command only. */
async function issueDemoKey(keys: ApiKeysService): Promise<string | undefined> {
  const { items } = await keys.list({}, 1, undefined);
  if (items.length > 0) return undefined;
  return (await keys.create({ name: 'demo', plan: 'free' }, SERVICE)).key;
}

/** The only place that prints a key: on stderr for the operator, never in the log. */
function greet(url: string, demoKey: string): void {
  process.stderr.write(`
The animal store is at ${url}/v1, its documentation at ${url}/docs
This demo key (plan Free) is shown once:

  ${demoKey}

  curl -H 'Authorization: Bearer ${demoKey}' ${url}/v1/pets

Sample animals, while this runs: npm run seed -- --pets 1000

`);
}

/** Returns what a signal starts: the service drains, closes and exits with 0. */
function drainOf(
  app: NestFastifyApplication,
  lifecycle: Lifecycle,
  config: Config,
  logger: Logger,
  closeWithinMs: number,
): (signal: NodeJS.Signals) => void {
  const server = app.getHttpServer();
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const drain = async (signal: NodeJS.Signals) => {
    if (lifecycle.state === 'draining') return;
    lifecycle.state = 'draining';
    logger.info({ signal }, 'draining');
    // A load balancer must see that the service is not ready before connections are refused.
    await pause(config.shutdownDelayMs);
    const deadline = setTimeout(() => cutOff(server, logger), closeWithinMs);
    const closing = app.close();
    // Node does not count an unused connection as idle, and would wait for it.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    await closing;
    clearTimeout(deadline);
    logger.info('stopped');
    process.exit(0);
  };
  return (signal) => {
    drain(signal).catch((error: unknown) => {
      logger.fatal({ err: error }, 'failed while stopping');
      process.exit(1);
    });
  };
}

function cutOff(server: Server, logger: Logger): void {
  server.getConnections((_error, connections) => {
    if (connections > 0) logger.warn({ connections }, 'cut off requests that did not end');
    server.closeAllConnections();
  });
}
