import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { dataSourceOptions } from './data-source.js';

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
    // Ready and gone in one breath: the pool has let go of the connection, and whoever asked for it does not have it yet.
    server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.close();
  });

  it('may be lost between two owners without ending the process', async () => {
    const { port } = server.address() as AddressInfo;
    const { extra } = dataSourceOptions({
      url: `postgres://postgres@127.0.0.1:${port}/any`,
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
