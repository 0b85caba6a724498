import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { compileOnce } from './compile-once.js';
import { Housekeeping } from './housekeeping.js';
import { Multiplexer } from './multiplexer.js';
import { openStore } from './pglite-store.js';
import { encodeFrame, cstring } from './frames.js';
import type { SharedBackend } from './shared-backend.js';
import { templatePath } from './template.js';

let dir: string;
let database: PGlite;
let backend: SharedBackend;
let server: Server;
const clients: pg.Client[] = [];

/** Speaks the protocol frame by frame, where a driver would choose for us. */
class RawClient {
  private constructor(private readonly socket: Socket) {}

  static async connect(host: string): Promise<RawClient> {
    const client = new RawClient(createConnection(join(host, '.s.PGSQL.5432')));
    const startup = Buffer.from('\0\0\0\x09\0\x03\0\0\0', 'latin1');
    expect(await client.send(startup)).toMatch(/^RS+KZ$/);
    return client;
  }

  /** Sends frames; resolves with the types of the answer's, up to ReadyForQuery, a result's end or an error. */
  async send(...frames: Buffer[]): Promise<string> {
    const flushes = frames.at(-1)![0] === 0x48;
    let types = '';
    let received = Buffer.alloc(0);
    this.socket.write(Buffer.concat(frames));
    for await (const chunk of this.socket.iterator({ destroyOnReturn: false })) {
      received = Buffer.concat([received, chunk as Buffer]);
      while (received.length > 4 && received.length > received.readInt32BE(1)) {
        types += String.fromCharCode(received[0]!);
        received = received.subarray(1 + received.readInt32BE(1));
      }
      if ((flushes ? /[CE]$/ : /Z$/).test(types)) break;
    }
    return types;
  }

  end(): void {
    this.socket.destroy();
  }
}

const parse = (sql: string) => encodeFrame('P', cstring(''), cstring(sql), Buffer.alloc(2));
const BIND = encodeFrame('B', Buffer.alloc(8));
const EXECUTE = encodeFrame('E', Buffer.alloc(5));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ host: dir, user: 'postgres', database: 'postgres', statement_timeout: 5 });
  // A client that is dropped says so in its query; the event beside it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  clients.push(client);
  return client;
}

/** Ends as a killed process does: no word to the server. */
const vanish = (client: pg.Client) =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

const count = async (client: pg.Client, where = 'true') =>
  Number((await client.query<{ n: string }>(`select count(*) as n from items where ${where}`)).rows[0]!.n);

beforeAll(async () => {
  compileOnce();
  dir = await mkdtemp(join(tmpdir(), 'multiplexer-'));
  database = await openStore(dir, templatePath());
  const multiplexer = new Multiplexer(
    (error) => {
      throw error;
    },
    { idleInTransactionMs: 300, maxRequestBytes: 8_000_000, maxResponseBytes: 8_000_000 },
  );
  backend = multiplexer.open(database, '18.0');
  server = createServer((socket) => multiplexer.accept(socket));
  await new Promise<void>((resolve) => server.listen(join(dir, '.s.PGSQL.5432'), resolve));
}, 60_000);

afterAll(async () => {
  server.close();
  await database.close();
  await rm(dir, { recursive: true });
});

beforeEach(async () => {
  const client = await connect();
  await client.query('drop table if exists items; create table items (id int primary key, text text)');
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

describe('Multiplexer', () => {
  it('answers 1,800 mixed operations of three clients, none wrong', async () => {
    const work = async (client: pg.Client, me: number) => {
      let wrong = 0;
      const check = (is: unknown, expected: unknown) => (is === expected ? 0 : wrong++);
      for (let i = 0; i < 600; i++) {
        const id = me * 1000 + i;
        const kind = i % 6;
        if (kind === 0) {
          const named = { name: 'same name', text: `select $1::int + ${me} as n`, values: [i] };
          check((await client.query<{ n: number }>(named)).rows[0]?.n, i + me);
        } else if (kind === 1) {
          const { rows } = await client.query<{ t: string }>('select $1::text as t', [`${me}/${i}`]);
          check(rows[0]?.t, `${me}/${i}`);
        } else if (kind === 2) {
          check((await client.query('insert into items values ($1, $2)', [id, `of ${me}`])).rowCount, 1);
        } else if (kind === 3) {
          const failed = client.query('select 1 / $1::int', [0]);
          check(await failed.catch((error: unknown) => (error as pg.DatabaseError).code), '22012');
        } else {
          await client.query('begin');
          await client.query('insert into items values ($1, $2)', [id, `of ${me}`]);
          check(await count(client, `id = ${id}`), 1);
          await client.query(kind === 4 ? 'commit' : 'rollback');
          check(await count(client, `id = ${id}`), kind === 4 ? 1 : 0);
        }
      }
      return wrong;
    };
    const three = await Promise.all([connect(), connect(), connect()]);
    expect(await Promise.all(three.map(work))).toEqual([0, 0, 0]);
    expect(await count(three[0])).toBe(3 * 200);
  });

  it('keeps the others out of an open transaction, and lets them in, in order, behind it', async () => {
    const [owner, second, third] = await Promise.all([connect(), connect(), connect()]);
    await owner.query('begin');
    const order: string[] = [];
    const waiting = [
      second.query('insert into items values (2)').then(() => order.push('second')),
      third.query('insert into items values (3)').then(() => order.push('third')),
    ];
    await owner.query('insert into items values (1)');
    expect(await count(owner)).toBe(1);
    await owner.query('commit').then(() => order.push('owner'));
    await Promise.all(waiting);
    expect(order).toEqual(['owner', 'second', 'third']);
  });

  it('rolls back for a client that vanishes in a transaction, failed or not', async () => {
    for (const sql of ['insert into items values (1)', 'select 1 / 0']) {
      const [gone, other] = await Promise.all([connect(), connect()]);
      await gone.query('begin; insert into items values (9)');
      await gone.query(sql).catch(() => undefined);
      const waiting = count(other);
      vanish(gone);
      expect(await waiting).toBe(0);
      await other.query('insert into items values (5); delete from items');
    }
  });

  it('drops a client that idles in a transaction, tells it why, and undoes its work', async () => {
    const [idle, other] = await Promise.all([connect(), connect()]);
    const told = new Promise<Error>((resolve) => idle.once('error', resolve));
    await idle.query('begin; insert into items values (1)');
    expect(await count(other)).toBe(0);
    expect(await told).toMatchObject({ code: '25P03' });
  });

  it('carries parameters and answers of several megabytes', async () => {
    const client = await connect();
    const text = 'zoo'.repeat(2_000_000);
    await client.query('insert into items values (1, $1)', [text]);
    expect((await client.query('select text from items')).rows[0].text === text).toBe(true);
  });

  it('drops who sends or asks for more than is held, and serves the others', async () => {
    const [flooding, greedy, other] = await Promise.all([connect(), connect(), connect()]);
    await expect(flooding.query('select $1', ['x'.repeat(9_000_000)])).rejects.toThrow();
    await expect(greedy.query(`select repeat('x', 9000000)`)).rejects.toThrow('is over the limit');
    expect(await count(other)).toBe(0);
  });

  it('keeps each client its unnamed statement, though another used that place in between', async () => {
    const [raw, other] = [await RawClient.connect(dir), await connect()];
    expect(await raw.send(parse('select 5'), encodeFrame('S'))).toBe('1Z');
    expect((await other.query('select $1::text as t', ['other'])).rows).toEqual([{ t: 'other' }]);
    expect(await raw.send(BIND, EXECUTE, encodeFrame('S'))).toBe('2DCZ');
    raw.end();
  });

  it('answers a flush, and is nobody else’s until the sync', async () => {
    const [raw, other] = [await RawClient.connect(dir), await connect()];
    expect(await raw.send(parse('insert into items values (1)'), BIND, EXECUTE, encodeFrame('H'))).toBe(
      '12C',
    );
    const waiting = count(other);
    expect(await raw.send(parse('select 1 / 0'), BIND, EXECUTE, encodeFrame('H'))).toBe('1E');
    expect(await raw.send(encodeFrame('S'))).toBe('Z');
    expect(await waiting).toBe(0);
    raw.end();
  });

  it('refuses COPY FROM STDIN instead of waiting for it', async () => {
    const client = await connect();
    await expect(client.query('copy items from stdin')).rejects.toThrow('use INSERT');
    await expect(client.query({ name: 'c', text: 'copy items from stdin' })).rejects.toThrow('use INSERT');
    await client.query(`insert into items values (1, 'copy from stdin')`);
    expect(await count(client)).toBe(1);
  });

  it('takes a client’s statements and settings out of the session when it goes', async () => {
    const [gone, stays] = await Promise.all([connect(), connect()]);
    await gone.query({ name: 'mine', text: 'select 1' });
    await gone.query(`set timezone to 'Asia/Tokyo'; set work_mem to '1MB'`);
    await gone.end();
    const left =
      await stays.query(`select current_setting('TimeZone') as zone, current_setting('work_mem') as mem,
      (select count(*)::int from pg_prepared_statements where name like '%mine') as statements`);
    expect(left.rows[0]).toEqual({ zone: 'UTC', mem: '4MB', statements: 0 });
  });

  it('vacuums and analyzes what has changed', async () => {
    const client = await connect();
    await client.query(
      'insert into items select n from generate_series(1, 2000) n; delete from items where id > 100',
    );
    // PostgreSQL counts what has changed once a second, or when told to.
    await client.query('select pg_stat_force_next_flush()');
    await new Housekeeping(database, backend, () => undefined).vacuumChangedTables();
    const { rows } = await client.query(`select reltuples::int as n from pg_class where relname = 'items'`);
    expect(rows[0].n).toBe(100);
    expect(await count(client)).toBe(100);
  });
});
