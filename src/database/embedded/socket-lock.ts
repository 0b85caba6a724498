import { randomBytes } from 'node:crypto';
import { chmod, link, readdir, rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { SOCKET_NAME } from './data-dir.js';
import { DataDirInUseError, EmbeddedDatabaseError } from './embedded-database.errors.js';
import { probeSocket } from './socket-probe.js';

const GENERATION = /^\.lock\.(\d+)$/;
const CANDIDATE = /^\.s\.[0-9a-f]{10}$/;

/** The directory is ours until `release`; connections arrive from the moment it was taken. */
export interface SocketLock {
  /** Takes the socket's public name away: new clients find nobody, the directory stays ours. */
  unpublish(): Promise<void>;
  /** Gives the directory back. */
  release(): Promise<void>;
}

/**
 * Takes the directory for this process, or throws `DataDirInUseError`.
 *
 * The lock is a listening socket, which a killed process lets go of by itself. Every owner links its socket
 * under a number one higher than the last, and the highest number that exists is never removed: a name is
 * never used twice, so no process can mistake (or throw away) a live owner's socket for the dead one it saw
 * a moment before, which a single reused name cannot promise.
 */
export async function lockDataDir(
  dir: string,
  dataDir: string,
  onConnection: (socket: Socket) => void,
): Promise<SocketLock> {
  const server = createServer(onConnection);
  // A candidate may fall to another process's sweep before it listens; then it tries again under a new name.
  for (let attempt = 0; attempt < 5; attempt++) {
    const candidate = join(dir, `.s.${randomBytes(5).toString('hex')}`);
    try {
      await listen(server, candidate);
      await chmod(candidate, 0o600);
      const generation = await claimGeneration(dir, dataDir, candidate);
      await publish(dir, candidate, generation);
      return lockOf(dir, server);
    } catch (error) {
      await closeServer(server);
      await rm(candidate, { force: true });
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw clearError(error, dataDir);
    }
  }
  throw new DataDirInUseError(dataDir);
}

async function claimGeneration(dir: string, dataDir: string, candidate: string): Promise<number> {
  for (;;) {
    const last = await lastGeneration(dir);
    if (last > 0 && (await probeSocket(generationPath(dir, last))) === 'live') {
      throw new DataDirInUseError(dataDir);
    }
    const mine = last + 1;
    if (!(await linkIfAbsent(candidate, generationPath(dir, mine)))) continue;
    // Whoever slept between reading and linking may have filled a gap below a newer owner.
    if ((await lastGeneration(dir)) === mine) return mine;
    await rm(generationPath(dir, mine), { force: true });
  }
}

async function publish(dir: string, candidate: string, generation: number): Promise<void> {
  await rename(candidate, join(dir, SOCKET_NAME));
  for (const name of await readdir(dir)) {
    const older = GENERATION.exec(name);
    if (older && Number(older[1]) < generation) await rm(join(dir, name), { force: true });
    if (CANDIDATE.test(name) && (await probeSocket(join(dir, name))) === 'stale') {
      await rm(join(dir, name), { force: true });
    }
  }
}

function lockOf(dir: string, server: Server): SocketLock {
  const unpublish = () => rm(join(dir, SOCKET_NAME), { force: true });
  return {
    unpublish,
    release: async () => {
      await unpublish();
      await closeServer(server);
    },
  };
}

async function lastGeneration(dir: string): Promise<number> {
  const names = await readdir(dir);
  return Math.max(0, ...names.map((name) => Number(GENERATION.exec(name)?.[1] ?? 0)));
}

function generationPath(dir: string, generation: number): string {
  return join(dir, `.lock.${generation}`);
}

async function linkIfAbsent(existing: string, name: string): Promise<boolean> {
  try {
    await link(existing, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, backlog: 511 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
}

function clearError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedDatabaseError) return error;
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return new EmbeddedDatabaseError(`DATA_DIR ${dataDir} cannot hold the database's socket (${reason})`, {
    cause: error,
  });
}
