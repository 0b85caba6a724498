import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Durations } from '../../src/run-service.js';
import { DIST } from './build.js';
import { temporaryFolder } from './clean-up.js';

/** A folder whose `main.js` starts the built service with these durations. `Service` takes it as `dist`. */
export function distWith(durations: Durations): string {
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
    await runService(app, config, logger, embedded, onStopSignal, ${JSON.stringify(durations)});
  `;
  writeFileSync(join(folder, 'main.js'), program);
  return folder;
}
