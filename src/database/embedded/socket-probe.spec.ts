import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { joinAsClient } from './socket-probe.js';

let dir: string;
let server: Server;

/** An owner that answers a client with these bytes and hangs up. */
async function ownerAnswering(answer: string): Promise<string> {
  const path = join(dir, 'socket');
  server = createServer((socket) => socket.once('data', () => socket.end(answer)));
  await once(server.listen(path), 'listening');
  return path;
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'probe-'));
});

afterEach(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

describe('joinAsClient', () => {
  it('holds the connection of a client that was let in', async () => {
    const socket = await joinAsClient(await ownerAnswering('R\0\0\0\u0008\0\0\0\0'), 5_000);
    expect(socket).toBeDefined();
    socket?.destroy();
  });

  it.each([
    ['is told that the database cannot be opened', 'E\0\0\0\u000bSFATAL\0\0'],
    ['is hung up on', ''],
  ])('gives nothing to one that %s', async (_what, answer) => {
    expect(await joinAsClient(await ownerAnswering(answer), 5_000)).toBeUndefined();
  });
});
