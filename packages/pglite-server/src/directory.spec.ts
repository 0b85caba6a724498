import { once } from 'node:events';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
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
  });

  it('holds the directory until it is released, also while unpublished', async () => {
    const first = await claim();
    await first.unpublish();
    expect(await canConnect()).toBe(false);
    await expect(claim()).rejects.toThrow(DirectoryInUseError);
    await locks.pop()?.release();
    await claim();
    expect(await canConnect()).toBe(true);
  });

  it('refuses a directory whose socket has a listener without the lock, as in release 1.0.0', async () => {
    const server = createServer().unref().listen(join(dir, '.s.PGSQL.5432'));
    await once(server, 'listening');
    await expect(claim()).rejects.toThrow(DirectoryInUseError);
    await once(server.close(), 'close');
  });

  it('accepts exactly one of many simultaneous owners after a crash, and then the next', async () => {
    // What a killed process leaves behind: the file of a socket without a listener.
    const killed = createServer().listen(join(dir, 'listening'));
    await once(killed, 'listening');
    await rename(join(dir, 'listening'), join(dir, '.s.PGSQL.5432'));
    await once(killed.close(), 'close');
    for (let round = 0; round < 10; round++) {
      const claims = await Promise.allSettled(Array.from({ length: 20 }, () => claim()));
      const lost = claims.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(19);
      for (const { reason } of lost as PromiseRejectedResult[])
        expect(reason).toBeInstanceOf(DirectoryInUseError);
      expect(await canConnect()).toBe(true);
      await locks.pop()?.release();
    }
  });
});
