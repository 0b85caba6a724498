import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedDatabaseError } from './embedded-database.errors.js';

/** The file name under which every PostgreSQL client looks for a socket of port 5432. */
export const SOCKET_NAME = '.s.PGSQL.5432';

// sun_path holds 108 bytes with its closing zero on Linux, 104 on macOS; longer paths are cut or refused.
const SOCKET_PATH_LIMIT = process.platform === 'darwin' ? 103 : 107;

/** The directory as an absolute path; throws when the socket in it could not be reached. */
export function resolveDataDir(dataDir: string): string {
  const dir = resolve(dataDir);
  const bytes = Buffer.byteLength(join(dir, SOCKET_NAME));
  if (bytes > SOCKET_PATH_LIMIT) {
    throw new EmbeddedDatabaseError(
      `DATA_DIR ${dataDir} is too long: its socket's path has ${bytes} bytes, the limit is ${SOCKET_PATH_LIMIT}; set DATA_DIR to a shorter path`,
    );
  }
  return dir;
}

/**
 * Creates the directory for its owner alone, and makes sure that it can be written. Synchronous, for the start
 * goes on to load modules, which would keep the database's thread waiting for this one.
 */
export function prepareDataDir(dataDir: string): string {
  const dir = resolveDataDir(dataDir);
  try {
    mkdirSync(dirname(dir), { recursive: true });
    makeDirectory(dir);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new EmbeddedDatabaseError(`DATA_DIR ${dataDir} ${reasonOf(cause)}`, { cause });
  }
  return dir;
}

// Only the last step is for the owner alone: what lies above may well be shared.
function makeDirectory(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!statSync(dir).isDirectory()) throw error;
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'is not a directory';
  if (code === 'EROFS') return 'is on a read-only file system';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be written: permission denied';
  return `cannot be created or written (${code ?? String(error)})`;
}
