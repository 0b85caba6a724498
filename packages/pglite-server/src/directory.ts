import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { chmod, link, readdir, rename, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { DirectoryInUseError, PgliteServerError } from './errors.js';

/** The file name under which every PostgreSQL client looks for the socket of port 5432. */
const SOCKET_NAME = '.s.PGSQL.5432';
// sun_path holds 108 bytes with its terminating zero on Linux, 104 on macOS.
const SOCKET_PATH_LIMIT_BYTES = process.platform === 'darwin' ? 103 : 107;
const GENERATION = /^\.lock\.(\d+)$/;
const CANDIDATE = /^\.s\.[0-9a-f]{10}$/;

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
 * Locks the directory for this process and accepts connections from then on.
 *
 * The lock is a listening socket, because the kernel closes it when a process is killed. Each owner links its socket under
 * a number one higher than the last, and the highest number is never removed: no name is used twice, so no
 * process can mistake a live owner's socket for the dead one that it saw a moment before. Considered:
 * proper-lockfile stays locked for its stale time after a kill, and Node has no flock.
 * @throws DirectoryInUseError when another live process holds the lock
 */
export async function lockDirectory(
  directory: string,
  onConnection: (socket: Socket) => void,
): Promise<DirectoryLock> {
  const server = createServer(onConnection);
  // Another process may remove a candidate before it listens; the next attempt uses a new name.
  for (let attempt = 0; attempt < 5; attempt++) {
    const candidate = join(directory, `.s.${randomBytes(5).toString('hex')}`);
    try {
      await once(server.listen({ path: candidate, backlog: 511 }), 'listening');
      await chmod(candidate, 0o600);
      const generation = await claimGeneration(directory, candidate);
      await publish(directory, candidate, generation);
      const unpublish = () => rm(join(directory, SOCKET_NAME), { force: true });
      return { unpublish, release: () => unpublish().then(() => closeServer(server)) };
    } catch (error) {
      await closeServer(server);
      await rm(candidate, { force: true });
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') continue;
      if (error instanceof PgliteServerError) throw error;
      const reason = `cannot hold the database's socket (${code ?? String(error)})`;
      throw new PgliteServerError(directory, reason, { cause: error });
    }
  }
  throw new DirectoryInUseError(directory);
}

async function claimGeneration(directory: string, candidate: string): Promise<number> {
  for (;;) {
    const last = await lastGeneration(directory);
    if (last > 0 && (await probeSocket(generationPath(directory, last))) === 'live') {
      throw new DirectoryInUseError(directory);
    }
    const mine = last + 1;
    try {
      await link(candidate, generationPath(directory, mine));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    // A process that slept between reading and linking may have taken a number below a newer owner's.
    if ((await lastGeneration(directory)) === mine) return mine;
    await rm(generationPath(directory, mine), { force: true });
  }
}

async function publish(directory: string, candidate: string, generation: number): Promise<void> {
  await rename(candidate, join(directory, SOCKET_NAME));
  for (const name of await readdir(directory)) {
    const older = GENERATION.exec(name);
    if (older && Number(older[1]) < generation) await rm(join(directory, name), { force: true });
    if (CANDIDATE.test(name) && (await probeSocket(join(directory, name))) === 'stale') {
      await rm(join(directory, name), { force: true });
    }
  }
}

/** Whether a process listens on the socket. A full queue or a frozen process counts as live. */
async function probeSocket(path: string): Promise<'live' | 'stale' | 'absent'> {
  const socket = createConnection({ path });
  try {
    await once(socket, 'connect');
    return 'live';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return 'stale';
    if (code === 'ENOENT') return 'absent';
    if (code === 'EAGAIN' || code === 'ECONNRESET') return 'live';
    throw error;
  } finally {
    socket.destroy();
  }
}

async function lastGeneration(directory: string): Promise<number> {
  const names = await readdir(directory);
  return Math.max(0, ...names.map((name) => Number(GENERATION.exec(name)?.[1] ?? 0)));
}

const generationPath = (directory: string, generation: number) => join(directory, `.lock.${generation}`);

async function closeServer(server: Server): Promise<void> {
  if (server.listening) await once(server.close(), 'close');
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'is not a directory';
  if (code === 'EROFS') return 'is on a read-only file system';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be written: permission denied';
  return `cannot be created or written (${code ?? String(error)})`;
}
