import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Durations } from '../../src/platform/process/run-service.js';
import { DIST } from './build.js';
import { temporaryFolder } from './clean-up.js';

/**
 * A folder whose `main.js` starts the built service with these durations. `Service` takes it as `dist`. `httpDivisor`: divides every
 * timeout of the HTTP server, also for silent connections. The original ones are printed on stderr.
 */
export function distWith(durations: Durations, httpDivisor = 1): string {
  const folder = temporaryFolder();
  const built = (module: string) => JSON.stringify(pathToFileURL(join(DIST, module)).href);
  const program = `
    import * as setup from ${built('app.setup.js')};
    import { readConfig } from ${built('platform/config/load-config.js')};
    import { openEmbeddedDatabase } from ${built('platform/database/start/embedded-database.js')};
    import { createLogger } from ${built('platform/telemetry/logging/logger.js')};
    import { runService } from ${built('platform/process/run-service.js')};
    const config = await readConfig();
    const logger = await createLogger(config.logLevel, process.stdout);
    const { server, dataDir } = config.database;
    const embedded = server === undefined ? openEmbeddedDatabase(dataDir) : undefined;
    const onStopSignal = (drain) => ['SIGTERM', 'SIGINT'].forEach((signal) => process.on(signal, drain));
    const createApp = async (...args) => {
      const app = await setup.createApp(...args);
      shorten(app.getHttpServer());
      return app;
    };
    function shorten(server) {
      const names = ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval'];
      process.stderr.write('timeouts ' + names.map((name) => server[name]).join(' ') + '\\n');
      process.stderr.write('silence ' + server.timeout + '\\n');
      for (const name of [...names, 'timeout', 'keepAliveTimeout']) server[name] /= ${httpDivisor};
    }
    const durations = ${JSON.stringify(durations)};
    await runService({ ...setup, createApp }, { config, logger, embedded, onStopSignal, durations });
  `;
  writeFileSync(join(folder, 'main.js'), program);
  return folder;
}

/** A build whose HTTP server waits for a tenth of every timeout. */
export const distWithShortTimeouts = () => distWith({ closeWithinMs: 10_000 }, 10);
