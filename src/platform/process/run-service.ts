import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { BackgroundTasks } from '../common/background-tasks.js';
import { Lifecycle } from '../common/lifecycle.js';
import type { Config } from '../config/config.js';
import { DatabaseStarter } from '../database/start/database-starter.js';
import type { EmbeddedDatabase } from '../database/start/embedded-database.js';
import { MetricsServer } from '../telemetry/metrics/metrics-server.js';
import { drainOf } from './drain.js';

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

/** What an application brings. */
export interface AppSetup {
  /** The whole application, ready to listen; nothing is opened yet. */
  createApp: (config: Config, logger: Logger) => Promise<NestFastifyApplication>;
  /** Runs once the database is open and before the service reports ready. */
  beforeReady?: (app: NestFastifyApplication, config: Config, url: string) => Promise<void>;
}

interface Surroundings {
  config: Config;
  logger: Logger;
  /** The embedded database while it opens; undefined with a PostgreSQL server. */
  embedded: Promise<EmbeddedDatabase> | undefined;
  /** Takes what to do on a signal. */
  onStopSignal: (drain: (signal: NodeJS.Signals) => void) => void;
  durations?: Durations;
}

/** Runs the service from listening to the end of the process. Health checks are answered from the first moment on. */
export async function runService(
  { createApp, beforeReady }: AppSetup,
  { config, logger, embedded, onStopSignal, durations = DURATIONS }: Surroundings,
): Promise<void> {
  const app = await createApp(config, logger);
  const lifecycle = app.get(Lifecycle);
  onStopSignal(drainOf(app, lifecycle, logger, config.shutdownDelayMs, durations.closeWithinMs));
  try {
    await app.get(MetricsServer).listen();
    await app
      .listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG })
      .catch((error: unknown) => {
        throw new Error(cannotListen(error as NodeJS.ErrnoException, config.port), { cause: error });
      });
    const url = await app.getUrl();
    logger.info({ url }, 'listening');
    await app.get(DatabaseStarter).startForService(embedded);
    await beforeReady?.(app, config, url);
    // A signal may have come meanwhile.
    if (lifecycle.state !== 'starting') return;
    lifecycle.state = 'serving';
    app.get(BackgroundTasks).start(durations.taskPauseMs);
    logger.info({ url, database: config.database.server === undefined ? 'embedded' : 'postgresql' }, 'ready');
  } catch (error) {
    // A signal during the start closes what the start is waiting for.
    if (lifecycle.state !== 'draining') throw error;
  }
}

function cannotListen({ code, message }: NodeJS.ErrnoException, port: number): string {
  if (code === 'EADDRINUSE') return `PORT: ${port} is in use; for another one: PORT=${port + 1} npm start`;
  return `HOST and PORT: the service cannot listen there: ${message}`;
}
