import type { Config } from './platform/config/config.js';
import { readConfig } from './platform/config/load-config.js';
import { openEmbeddedDatabase } from './platform/database/start/embedded-database.js';
import { createLogger } from './platform/telemetry/logging/logger.js';
import { sendConsoleToLog } from './platform/telemetry/telemetry-internals.js';

/** Until there is something to drain, a signal simply ends the process; without a listener PID 1 would ignore it. */
let stop: (signal: NodeJS.Signals) => void = () => process.exit(0);
// The listeners stay, because a signal that arrives while modules load is delivered later.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
// The service goes on when no process reads its log or its errors.
process.stderr.on('error', () => undefined);

function exitBecause(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

let config: Config;
try {
  config = readConfig();
} catch (error) {
  // One line per mistake, before anything is opened.
  exitBecause((error as Error).message);
}
const logger = await createLogger(config.logLevel, process.stdout);
sendConsoleToLog(logger);
try {
  // The database opens in its own thread while this thread loads the rest; runService reports its failure.
  const { url, dataDir } = config.database;
  const embedded = url === undefined ? openEmbeddedDatabase(dataDir) : undefined;
  embedded?.catch(() => undefined);
  const { createApp } = await import('./create-app.js');
  const { runService } = await import('./run-service.js');
  const app = await createApp(config, logger);
  await runService(app, config, logger, embedded, (drain) => (stop = drain));
} catch (error) {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  logger.fatal({ reason }, 'the service cannot start');
  exitBecause(reason);
}
