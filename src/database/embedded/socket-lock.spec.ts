import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataDirInUseError } from './embedded-database.errors.js';
import { lockDataDir, type SocketLock } from './socket-lock.js';
import { probeSocket } from './socket-probe.js';

let dir: string;
const locks: SocketLock[] = [];

const claim = async (onConnection: (socket: Socket) => void = (socket) => socket.destroy()) => {
  const lock = await lockDataDir(dir, './data', onConnection);
  locks.push(lock);
  return lock;
};

/** What a killed process leaves: the socket's file, and nobody behind it. */
async function leaveStale(name: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, 'listening'), resolve));
  await rename(join(dir, 'listening'), join(dir, name));
  await new Promise((resolve) => server.close(resolve));
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lock-'));
});

afterEach(async () => {
  await Promise.all(locks.splice(0).map((lock) => lock.release()));
  await rm(dir, { recursive: true });
});

describe('lockDataDir', () => {
  it('publishes a socket for its owner alone, and hands over who connects', async () => {
    const arrived = new Promise<Socket>((resolve) => void claim(resolve).then(() => connect()));
    const connect = () => createConnection(join(dir, '.s.PGSQL.5432')).on('error', () => undefined);
    (await arrived).destroy();
    expect((await stat(join(dir, '.s.PGSQL.5432'))).mode & 0o777).toBe(0o600);
  });

  it('refuses a second owner in one line that names the directory, and leaves the first as it was', async () => {
    await claim();
    await expect(claim()).rejects.toThrow(new DataDirInUseError('./data'));
    await expect(claim()).rejects.toThrow('DATA_DIR ./data is in use by another process');
    expect(await probeSocket(join(dir, '.s.PGSQL.5432'))).toBe('live');
    expect((await readdir(dir)).sort()).toEqual(['.lock.1', '.s.PGSQL.5432']);
  });

  it('is still held while unpublished, and free once released', async () => {
    const first = await claim();
    await first.unpublish();
    expect(await probeSocket(join(dir, '.s.PGSQL.5432'))).toBe('absent');
    await expect(claim()).rejects.toThrow(DataDirInUseError);
    await first.release();
    await claim();
    expect(await probeSocket(join(dir, '.s.PGSQL.5432'))).toBe('live');
  });

  it('takes over what a killed process left, and sweeps it away', async () => {
    await leaveStale('.lock.7');
    await leaveStale('.s.PGSQL.5432');
    await leaveStale('.s.0123456789');
    await claim();
    expect((await readdir(dir)).sort()).toEqual(['.lock.8', '.s.PGSQL.5432']);
    expect(await probeSocket(join(dir, '.s.PGSQL.5432'))).toBe('live');
  });

  it('lets exactly one of many in who find a dead owner at the same time, and then the next', async () => {
    await leaveStale('.lock.1');
    await leaveStale('.s.PGSQL.5432');
    for (let round = 0; round < 10; round++) {
      const claims = await Promise.allSettled(Array.from({ length: 20 }, () => claim()));
      const lost = claims.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(19);
      for (const { reason } of lost as PromiseRejectedResult[])
        expect(reason).toBeInstanceOf(DataDirInUseError);
      await locks.pop()?.release();
    }
  });
});
