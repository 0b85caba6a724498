import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.js';
import { DataDirInUseError } from './embedded-database.errors.js';

const WAIT_FOR_COMMAND_MS = 4_000;
const RETRY_MS = 100;

/**
 * The embedded database as the service's own; a second service on the directory is refused with DataDirInUseError.
 * A command that runs at this moment owns the directory for a second or two, so the refusal is tried again.
 */
export async function ownEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  const deadlineMs = performance.now() + WAIT_FOR_COMMAND_MS;
  for (;;) {
    try {
      return await startEmbeddedDatabase(dataDir);
    } catch (error) {
      if (!(error instanceof DataDirInUseError) || performance.now() > deadlineMs) throw error;
    }
    await pause(RETRY_MS);
  }
}
