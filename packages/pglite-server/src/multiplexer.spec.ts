import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { vacuumChangedTables } from './housekeeping.js';
import { Multiplexer } from './multiplexer.js';
import { cstring, encodeFrame } from './protocol/frames.js';
import { SharedBackend } from './shared-backend.js';
import { openStore } from './store.js';

/** Longer than a busy machine leaves a client idle between two statements. */
const NEVER_IDLE_MS = 60_000;

let dir: string;
let database: PGlite;
let multiplexer: Multiplexer;
let backend: SharedBackend;
let server: Server;
const clients: pg.Client[] = [];

/** Sends single frames, which a driver does not allow. */
class RawClient {
  private constructor(private readonly socket: Socket) {}

  static async connect(host: string): Promise<RawClient> {
    const client = new RawClient(createConnection(join(host, '.s.PGSQL.5432')));
    const startup = Buffer.from('\0\0\0\x09\0\x03\0\0\0', 'latin1');
    expect(await client.send(startup)).toMatch(/^RS+KZ$/);
    return client;
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Sends frames; resolves with the types of the response's frames, up to ReadyForQuery or a fatal error. */
  async send(...frames: Buffer[]): Promise<string> {
    let types = '';
    let received = Buffer.alloc(0);
    this.write(Buffer.concat(frames));
    for await (const chunk of this.socket.iterator({ destroyOnReturn: false })) {
      received = Buffer.concat([received, chunk as Buffer]);
      while (received.length > 4 && received.length > received.readInt32BE(1)) {
        types += String.fromCharCode(received[0]!);
        received = received.subarray(1 + received.readInt32BE(1));
      }
      if (types.endsWith('Z')) break;
    }
    return types;
  }
}

const parse = (sql: string) => encodeFrame('P', cstring(''), cstring(sql), Buffer.alloc(2));
const BIND = encodeFrame('B', Buffer.alloc(8));
const EXECUTE = encodeFrame('E', Buffer.alloc(5));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ host: dir, user: 'postgres', database: 'postgres', statement_timeout: 5 });
  // The query of a dropped client fails; the event beside it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  clients.push(client);
  return client;
}

/** Ends like a killed process: without Terminate. */
const vanish = (client: pg.Client) =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

/** Repeats a check until it holds; the test's timeout is its limit. */
async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check()));
}

const count = async (client: pg.Client, where = 'true') =>
  Number((await client.query<{ n: string }>(`select count(*) as n from items where ${where}`)).rows[0]!.n);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'multiplexer-'));
  database = await openStore(dir);
  multiplexer = new Multiplexer(
    (error) => {
      throw error;
    },
    { idleInTransactionMs: NEVER_IDLE_MS, maxRequestBytes: 8_000_000, maxResponseBytes: 8_000_000 },
  );
  backend = new SharedBackend(database, '18.0');
  multiplexer.open(backend);
  server = createServer((socket) => multiplexer.accept(socket));
  await new Promise<void>((resolve) => server.listen(join(dir, '.s.PGSQL.5432'), resolve));
}, 60_000);

afterAll(async () => {
  server.close();
  await multiplexer.close(NEVER_IDLE_MS);
  await database.close();
  await rm(dir, { recursive: true });
});

beforeEach(async () => {
  const client = await connect();
  await client.query('drop table if exists items; create table items (id int primary key, text text)');
});

afterEach(async () => {
  multiplexer.limits.idleInTransactionMs = NEVER_IDLE_MS;
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

describe('Multiplexer', () => {
  it('sends each of three clients its own responses to 1,800 mixed operations', async () => {
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

  it('makes other clients wait for the end of a transaction, and then serves them in order', async () => {
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

  it('rolls back for a client that disconnects in a transaction, failed or not', async () => {
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

  it('drops a client that is idle in a transaction, with an error, and rolls back', async () => {
    multiplexer.limits.idleInTransactionMs = 300;
    const [idle, other] = await Promise.all([connect(), connect()]);
    const dropped = new Promise<Error>((resolve) => idle.once('error', resolve));
    await idle.query('begin; insert into items values (1)');
    expect(await count(other)).toBe(0);
    expect(await dropped).toMatchObject({ code: '25P03' });
  });

  it('transfers parameters and responses of several megabytes', async () => {
    const client = await connect();
    const text = 'zoo'.repeat(2_000_000);
    await client.query('insert into items values (1, $1)', [text]);
    expect((await client.query('select text from items')).rows[0].text === text).toBe(true);
  });

  it('drops a client whose request or response is over the limit, and serves the others', async () => {
    const [flooding, greedy, other] = await Promise.all([connect(), connect(), connect()]);
    await expect(flooding.query('select $1', ['x'.repeat(9_000_000)])).rejects.toThrow();
    await expect(greedy.query(`select repeat('x', 9000000)`)).rejects.toThrow('is over the limit');
    expect(await count(other)).toBe(0);
  });

  it('drops a client that sends a flush, and rolls back', async () => {
    const [raw, other] = [await RawClient.connect(dir), await connect()];
    expect(await raw.send(encodeFrame('Q', cstring('begin; insert into items values (1)')))).toBe('CCZ');
    const waiting = count(other);
    expect(await raw.send(parse('select 1'), BIND, EXECUTE, encodeFrame('H'))).toBe('E');
    expect(await waiting).toBe(0);
  });

  it('serves others while a client has sent an incomplete message', async () => {
    const [raw, other] = [await RawClient.connect(dir), await connect()];
    const query = encodeFrame('Q', cstring('select 1'));
    raw.write(query.subarray(0, -1));
    expect(await count(other)).toBe(0);
    expect(await raw.send(query.subarray(-1))).toBe('TDCZ');
    raw.write(encodeFrame('X'));
  });

  it('closes the connection of a cancel request, and refuses encryption', async () => {
    const request = (code: number) => {
      const packet = Buffer.from([0, 0, 0, 8, 0, 0, 0, 0]);
      packet.writeInt32BE(code, 4);
      const socket = createConnection(join(dir, '.s.PGSQL.5432'));
      socket.write(packet);
      return socket;
    };
    const cancel = request(80_877_102);
    await expect(cancel.toArray()).resolves.toEqual([]);
    const encryption = request(80_877_103);
    const [answer] = (await once(encryption, 'data')) as [Buffer];
    expect(answer.toString()).toBe('N');
    encryption.destroy();
  });

  it('runs no further query of a client that does not read its responses', async () => {
    const [raw, other] = [createConnection(join(dir, '.s.PGSQL.5432')), await connect()];
    raw.write(Buffer.from('\0\0\0\x09\0\x03\0\0\0', 'latin1'));
    const insert = `insert into items select count(*) from items; select repeat('x', 1000000)`;
    for (let i = 0; i < 40; i++) raw.write(encodeFrame('Q', cstring(insert)));
    await until(async () => (await count(other)) > 0);
    const ran = await count(other);
    for (let i = 0; i < 40; i++) await other.query('select 1');
    expect(await count(other)).toBe(ran);
    expect(ran).toBeLessThan(10);
    raw.destroy();
  });

  it('refuses COPY FROM STDIN instead of waiting for its data', async () => {
    const client = await connect();
    await expect(client.query('copy items from stdin')).rejects.toThrow('use INSERT');
    await expect(client.query({ name: 'c', text: 'copy items from stdin' })).rejects.toThrow('use INSERT');
    await client.query(`insert into items values (1, 'copy from stdin')`);
    expect(await count(client)).toBe(1);
  });

  it('removes a client’s statements and settings from the session when it leaves', async () => {
    const [gone, stays] = await Promise.all([connect(), connect()]);
    await gone.query({ name: 'mine', text: 'select 1' });
    await gone.query(`set timezone to 'Asia/Tokyo'; set work_mem to '1MB'`);
    await gone.end();
    const left =
      await stays.query(`select current_setting('TimeZone') as zone, current_setting('work_mem') as mem,
      (select count(*)::int from pg_prepared_statements where name like '%mine') as statements`);
    expect(left.rows[0]).toEqual({ zone: 'UTC', mem: '4MB', statements: 0 });
  });

  it('vacuums and analyzes changed tables', async () => {
    const client = await connect();
    await client.query(
      'insert into items select n from generate_series(1, 2000) n; delete from items where id > 100',
    );
    // PostgreSQL updates its statistics once a second, or on request.
    await client.query('select pg_stat_force_next_flush()');
    await vacuumChangedTables(database, backend);
    const { rows } = await client.query(`select reltuples::int as n from pg_class where relname = 'items'`);
    expect(rows[0].n).toBe(100);
    expect(await count(client)).toBe(100);
  });
});
