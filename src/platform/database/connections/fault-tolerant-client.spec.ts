import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { databaseErrorOf } from '../../common/errors/database-errors.js';
import { dataSourceOptions } from '../data-source.js';
import { streamOf } from '../database-internals.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';

const message = (type: string, body: string) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')]);
};
const AUTHENTICATED = message('R', '\0\0\0\0');
const READY = message('Z', 'I');
const TERMINATED = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

/** What a server may send in place of what it should. */
const ODD_ANSWERS = Object.entries({
  'an authentication by GSSAPI': message('R', '\0\0\0\x07'),
  'an authentication of the future': message('R', '\0\0\0\x63'),
  'SCRAM, which needs a password': message('R', '\0\0\0\x0aSCRAM-SHA-256\0\0'),
  'an unknown mechanism': message('R', '\0\0\0\x0aSCRAM-SHA-1024\0\0'),
  'an authentication that is cut off': message('R', ''),
  'an unknown message': message('?', 'what'),
  'rows without a query': message('D', '\0\x01\0\0\0\x01a'),
  'columns below zero': message('T', '\xff\xff'),
  'a row below zero': message('D', '\xff\xff'),
  'an error without fields': message('E', '\0'),
  'a code for which no list has a place': message('E', 'SFATAL\0C0A000\0Mno such thing\0\0'),
  zeros: Buffer.alloc(64),
  'a length below its own': Buffer.from('R\0\0\0\0R\0\0\0\0'),
  'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  nothing: Buffer.alloc(0),
});

describe('a connection', () => {
  let server: Server;
  afterEach(() => {
    jest.restoreAllMocks();
    server.close();
  });

  /** A server that answers each message of a client with the next of these. */
  async function listenWith(...answers: Buffer[]): Promise<number> {
    server = createServer((socket) => {
      const left = [...answers];
      socket.on('error', () => socket.destroy());
      socket.on('data', () => socket.write(left.shift() ?? Buffer.alloc(0)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  function clientOf(port: number, more: pg.ClientConfig = {}): FaultTolerantClient {
    const timeouts = { connectionTimeoutMillis: 100, query_timeout: 100 };
    const place = { host: '127.0.0.1', port, user: 'postgres', database: 'any', ssl: false };
    return new FaultTolerantClient({ ...place, ...timeouts, pipeline: true, ...more });
  }

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each(ODD_ANSWERS)('that begins with %s is an outage, and is closed', async (_name, answer) => {
    const client = clientOf(await listenWith(answer));
    const closed = new Promise((resolve) => streamOf(client).once('close', resolve));
    expect(databaseErrorOf(await failureOf(client.connect()))).toBeDefined();
    await closed;
  });

  it.each(ODD_ANSWERS)('that goes on with %s is an outage', async (_name, answer) => {
    const client = clientOf(await listenWith(Buffer.concat([AUTHENTICATED, READY]), answer), {
      connectionTimeoutMillis: 60_000,
    });
    await client.connect();
    expect(databaseErrorOf(await failureOf(client.query('select 1')))).toBeDefined();
    void client.end();
  });

  it.each([
    ['has no TLS', Buffer.from('N')],
    ['speaks no TLS', Buffer.from('S')],
    ['answers with an error', TERMINATED],
  ])('with TLS to a server that %s is an outage', async (_name, answer) => {
    const client = clientOf(await listenWith(answer, Buffer.from('what')), { ssl: true });
    expect(databaseErrorOf(await failureOf(client.connect()))).toBeDefined();
  });

  it('is probed while it waits, so that a vanished server is noticed', async () => {
    const probe = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const client = clientOf(await listenWith(Buffer.concat([AUTHENTICATED, READY])));
    await client.connect();
    expect(probe.mock.calls).toEqual([[true, 10_000]]);
    await client.end();
  });

  // Ready and closed in one packet, when the pool has released the connection and the new owner does not have it yet.
  it('can be lost between two owners without a crash', async () => {
    const port = await listenWith(Buffer.concat([AUTHENTICATED, READY, TERMINATED]));
    const server = { host: '127.0.0.1', port, user: 'postgres', ssl: false } as const;
    const { extra } = dataSourceOptions({ server, dataDir: '', poolSize: 1 }) as { extra: pg.PoolConfig };
    const pool = new pg.Pool({ ...extra, ...server });
    const client = await pool.connect();
    expect(databaseErrorOf(await failureOf(client.query('select 1')))).toBeDefined();
    client.release(true);
    await pool.end();
  });
});
