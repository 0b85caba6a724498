import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectoryInUseError } from './errors.js';
import { type DirectoryLock, lockDirectory } from './directory.js';

let dir: string;
const locks: DirectoryLock[] = [];

const claim = async (onConnection: (socket: Socket) => void = (socket) => socket.destroy()) => {
  const lock = await lockDirectory(dir, onConnection);
  locks.push(lock);
  return lock;
};

const canConnect = async (): Promise<boolean> =>
  await new Promise((resolve) => {
    const socket = createConnection(join(dir, '.s.PGSQL.5432'));
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** What a killed process leaves behind: the file of a socket on which no process listens. */
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

describe('lockDirectory', () => {
  it('publishes a socket that only its owner can open, and forwards connections', async () => {
    const arrived = new Promise<Socket>((resolve) => void claim(resolve).then(() => connect()));
    const connect = () => createConnection(join(dir, '.s.PGSQL.5432')).on('error', () => undefined);
    (await arrived).destroy();
    expect((await stat(join(dir, '.s.PGSQL.5432'))).mode & 0o777).toBe(0o600);
  });

  it('refuses a second owner without affecting the first', async () => {
    await claim();
    await expect(claim()).rejects.toThrow(new DirectoryInUseError(dir));
    expect(await canConnect()).toBe(true);
    expect((await readdir(dir)).sort()).toEqual(['.lock.1', '.s.PGSQL.5432']);
  });

  it('holds the directory until it is released, also while unpublished', async () => {
    const first = await claim();
    await first.unpublish();
    expect(await canConnect()).toBe(false);
    await expect(claim()).rejects.toThrow(DirectoryInUseError);
    await first.release();
    await claim();
    expect(await canConnect()).toBe(true);
  });

  it('replaces and removes the socket of a killed process', async () => {
    await leaveStale('.lock.7');
    await leaveStale('.s.PGSQL.5432');
    await leaveStale('.s.0123456789');
    await claim();
    expect((await readdir(dir)).sort()).toEqual(['.lock.8', '.s.PGSQL.5432']);
    expect(await canConnect()).toBe(true);
  });

  it('accepts exactly one of many simultaneous owners after a crash, and then the next', async () => {
    await leaveStale('.lock.1');
    await leaveStale('.s.PGSQL.5432');
    for (let round = 0; round < 10; round++) {
      const claims = await Promise.allSettled(Array.from({ length: 20 }, () => claim()));
      const lost = claims.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(19);
      for (const { reason } of lost as PromiseRejectedResult[])
        expect(reason).toBeInstanceOf(DirectoryInUseError);
      await locks.pop()?.release();
    }
  });
});
