import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DirectoryInUseError, PgliteServerError } from './errors.js';

/** The file name under which every PostgreSQL client looks for the socket of port 5432. */
const SOCKET_NAME = '.s.PGSQL.5432';
// sun_path holds 108 bytes with its terminating zero on Linux, 104 on macOS.
const SOCKET_PATH_LIMIT_BYTES = process.platform === 'darwin' ? 103 : 107;
const LOCK_NAME = '.lock';
const SQLITE_BUSY = 5;
const NO_LISTENER = new Set(['ENOENT', 'ECONNREFUSED']);

/** The directory belongs to this process until `release`. */
export interface DirectoryLock {
  /** Removes the socket's public name: no new client can connect, and the directory stays locked. */
  unpublish(): Promise<void>;
  /** Unlocks the directory. */
  release(): Promise<void>;
}

/**
 * Creates the directory for its owner alone and returns its absolute path. Synchronous, because a caller that goes on
 * to load modules would delay an asynchronous check until they are loaded.
 * @throws PgliteServerError when it cannot be created or written, or when its socket's path is too long
 */
export function prepareDirectory(path: string): string {
  const directory = resolve(path);
  const bytes = Buffer.byteLength(join(directory, SOCKET_NAME));
  if (bytes > SOCKET_PATH_LIMIT_BYTES) {
    const reason = `is too long: the path of its socket has ${bytes} bytes, the limit is ${SOCKET_PATH_LIMIT_BYTES}`;
    throw new PgliteServerError(directory, reason);
  }
  try {
    // Only the last directory is for its owner alone; those above it may be shared.
    mkdirSync(dirname(directory), { recursive: true });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new PgliteServerError(directory, reasonOf(cause), { cause });
  }
  return directory;
}

/**
 * Locks the directory for this process and accepts connections from then on. SQLite holds the lock, because the kernel frees it
 * when a process is killed and Node has no `flock`; proper-lockfile stays locked for its stale time after a kill.
 * @throws DirectoryInUseError when another live process holds the lock
 */
export async function lockDirectory(
  directory: string,
  onConnection: (socket: Socket) => void,
): Promise<DirectoryLock> {
  const socketPath = join(directory, SOCKET_NAME);
  const lock = new DatabaseSync(join(directory, LOCK_NAME), { open: false });
  const server = createServer(onConnection);
  try {
    lock.open();
    lock.exec('begin exclusive');
    if (await hasListener(socketPath)) throw new DirectoryInUseError(directory);
    await publish(server, directory, socketPath);
  } catch (cause) {
    if (lock.isOpen) lock.close();
    const { code, errcode } = cause as NodeJS.ErrnoException & { errcode?: number };
    if (errcode === SQLITE_BUSY) throw new DirectoryInUseError(directory);
    if (cause instanceof PgliteServerError) throw cause;
    throw new PgliteServerError(directory, `cannot be locked (${code ?? String(cause)})`, { cause });
  }
  const unpublish = () => rm(socketPath, { force: true });
  const release = async () => {
    await unpublish();
    await once(server.close(), 'close');
    lock.close();
  };
  return { unpublish, release };
}

/** Whether a process listens on the socket: releases up to 1.0.0 hold no lock of this kind. */
async function hasListener(path: string): Promise<boolean> {
  const socket = createConnection({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return !NO_LISTENER.has((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}

/** The socket gets its public name when only its owner can open it. */
async function publish(server: Server, directory: string, socketPath: string): Promise<void> {
  const unpublished = join(directory, '.s.unpublished');
  await rm(unpublished, { force: true });
  await once(server.listen({ path: unpublished, backlog: 511 }), 'listening');
  await chmod(unpublished, 0o600);
  await rename(unpublished, socketPath);
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'is not a directory';
  if (code === 'EROFS') return 'is on a read-only file system';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be written: permission denied';
  return `cannot be created or written (${code ?? String(error)})`;
}
