import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Durations } from '../../src/run-service.js';
import { DIST } from './build.js';
import { temporaryFolder } from './clean-up.js';

const DURATIONS: Durations = { closeWithinMs: 10_000 };

/**
 * A folder whose `main.js` starts the built service with these durations, and with the timeouts of its HTTP server, which it prints on
 * stderr, divided by this number. `Service` takes it as `dist`.
 */
export function distWith(durations: Partial<Durations>, httpTimeoutsBy = 1): string {
  const folder = temporaryFolder();
  const built = (module: string) => JSON.stringify(pathToFileURL(join(DIST, module)).href);
  const program = `
    import { createApp } from ${built('create-app.js')};
    import { readConfig } from ${built('platform/config/load-config.js')};
    import { openEmbeddedDatabase } from ${built('platform/database/start/embedded-database.js')};
    import { createLogger } from ${built('platform/telemetry/logging/logger.js')};
    import { runService } from ${built('run-service.js')};
    const config = readConfig();
    const logger = await createLogger(config.logLevel, process.stdout);
    const { url, dataDir } = config.database;
    const embedded = url === undefined ? openEmbeddedDatabase(dataDir) : undefined;
    const onStopSignal = (drain) => ['SIGTERM', 'SIGINT'].forEach((signal) => process.on(signal, drain));
    const app = await createApp(config, logger);
    const server = app.getHttpServer();
    for (const name of ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval', 'timeout']) {
      if (${httpTimeoutsBy} !== 1) process.stderr.write(name + ' ' + server[name] + '\\n');
      server[name] /= ${httpTimeoutsBy};
    }
    await runService(app, config, logger, embedded, onStopSignal, ${JSON.stringify({ ...DURATIONS, ...durations })});
  `;
  writeFileSync(join(folder, 'main.js'), program);
  return folder;
}
