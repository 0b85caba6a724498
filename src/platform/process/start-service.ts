import type { Config } from '../config/config.js';
import { readConfig } from '../config/load-config.js';
import { openEmbeddedDatabase } from '../database/start/embedded-database.js';
import { createLogger } from '../telemetry/logging/logger.js';
import { sendConsoleToLog } from '../telemetry/telemetry-internals.js';
import type { AppSetup } from './run-service.js';

/**
 * Starts the service and returns once it is ready. A start that fails is one line on stderr (one per mistake in the environment) and
 * exit code 1. `loadApp`: imports the application, which takes longer than everything else of a start.
 */
export async function startService(loadApp: () => Promise<AppSetup>): Promise<void> {
  // Until there is something to drain, a signal simply ends the process; without a listener PID 1 would ignore it.
  let stop: (signal: NodeJS.Signals) => void = () => process.exit(0);
  // The listeners stay, because a signal that arrives while modules load is delivered later.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  // The service goes on when no process reads its log or its errors.
  process.stderr.on('error', () => undefined);
  const config = await configOrExit();
  const logger = await createLogger(config.logLevel, process.stdout);
  sendConsoleToLog(logger);
  try {
    // The database opens in its own thread while this thread loads the rest; runService reports its failure.
    const { server, dataDir } = config.database;
    const embedded = server === undefined ? openEmbeddedDatabase(dataDir) : undefined;
    embedded?.catch(() => undefined);
    const setup = await loadApp();
    const { runService } = await import('./run-service.js');
    await runService(setup, { config, logger, embedded, onStopSignal: (drain) => (stop = drain) });
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
    logger.fatal({ reason }, 'the service cannot start');
    exitBecause(reason);
  }
}

/** One line per mistake, before anything is opened. */
async function configOrExit(): Promise<Config> {
  try {
    return await readConfig();
  } catch (error) {
    exitBecause((error as Error).message);
  }
}

function exitBecause(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
