import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { dataSourceOptions } from './data-source.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';

const message = (type: string, body: string) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')]);
};
const AUTHENTICATED = message('R', '\0\0\0\0');
const READY = message('Z', 'I');
const TERMINATED = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

describe('a connection of the pool', () => {
  let server: Server;
  beforeEach(async () => {
    // Ready and closed in one packet, when the pool has released the connection and the new owner does not have it yet.
    server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    server.close();
  });

  it('is probed while it waits, so that a vanished server is noticed', async () => {
    const probe = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const { port } = server.address() as AddressInfo;
    const client = new FaultTolerantClient({ host: '127.0.0.1', port, user: 'postgres', ssl: false });
    await client.connect();
    expect(probe.mock.calls).toEqual([[true, 10_000]]);
    await client.end();
  });

  it('can be lost between two owners without a crash', async () => {
    const { port } = server.address() as AddressInfo;
    const { extra } = dataSourceOptions({
      server: { host: '127.0.0.1', port, user: 'postgres' },
      dataDir: '',
      poolSize: 1,
    }) as { extra: pg.PoolConfig };
    const pool = new pg.Pool({ ...extra, host: '127.0.0.1', port, user: 'postgres', ssl: false });
    const client = await pool.connect();
    await expect(client.query('select 1')).rejects.toThrow();
    client.release(true);
    await pool.end();
  });
});
