import { keepCompiledModules } from './compile-cache.js';
import { ConfigError, readConfig } from './config/load-config.js';
import { ownEmbeddedDatabase } from './database/embedded/own-embedded-database.js';
import { createLogger } from './telemetry/logger.js';

/** One line per mistake, before anything is opened. */
function readConfigOrExit() {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

// Until there is something to drain, a signal simply ends the process; without a listener PID 1 would ignore it.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));

const config = readConfigOrExit();
const logger = createLogger(config.logLevel, process.stdout);
try {
  // Opens in a thread of its own while this one loads the rest; runService says what went wrong with it.
  const { url, dataDir } = config.database;
  const embedded = url === undefined ? ownEmbeddedDatabase(dataDir) : undefined;
  embedded?.catch(() => undefined);
  keepCompiledModules();
  const { createApp } = await import('./configure-app.js');
  const { runService } = await import('./run-service.js');
  await runService(await createApp(config, logger), config, logger, embedded);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  logger.fatal({ err: error }, 'the service cannot be built');
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
