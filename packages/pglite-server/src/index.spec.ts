import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// By its name, because a worker thread needs the compiled package: run `npm run build` before this spec.
import { PgliteServerError, startPgliteServer, type PgliteServer } from 'animal-store-pglite-server';
import pg from 'pg';

let home: string;
let shared: PgliteServer;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pglite-server-'));
  shared = await startPgliteServer(join(home, 'shared'));
});

afterAll(async () => {
  await shared.close();
  await rm(home, { recursive: true });
});

async function connect(host: string): Promise<pg.Client> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
}

async function query<T extends pg.QueryResultRow>(host: string, sql: string): Promise<T[]> {
  const client = await connect(host);
  const { rows } = await client.query<T>(sql).finally(() => client.end());
  return rows;
}

describe('startPgliteServer', () => {
  it('serves one owner, refuses a second one, persists data, and reports data that it cannot write', async () => {
    const directory = join(home, 'data');
    const first = await startPgliteServer(directory);
    expect(first.directory).toBe(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    await query(directory, 'create table numbers as select 1 as n');
    await expect(startPgliteServer(directory)).rejects.toThrow(`${directory} is in use by another process`);
    await first.close();
    expect(await readdir(directory)).not.toContain('.s.PGSQL.5432');

    const opened = await startPgliteServer(directory, { work_mem: '5MB' });
    const settings = `select n, current_setting('TimeZone') as zone, current_setting('work_mem') as mem from numbers`;
    expect(await query(directory, settings)).toEqual([{ n: 1, zone: 'UTC', mem: '5MB' }]);
    await query(directory, 'create table unwritten as select 1 as n');
    await rm(join(directory, 'pgdata', 'base'), { recursive: true });
    const closed = opened.close();
    await expect(closed).rejects.toThrow(PgliteServerError);
    await expect(closed).rejects.toThrow(`${directory} holds a database that could not be closed: `);
  });

  it('survives a query that is nested too deeply', async () => {
    const deep = `select ${'1+'.repeat(50_000)}1`;
    await expect(query(shared.directory, deep)).rejects.toThrow('stack depth limit exceeded');
    expect(await query(shared.directory, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('does not run a query whose client leaves while another client blocks it', async () => {
    const other = await connect(shared.directory);
    await other.query('create table numbers (n int)');
    for (const sql of ['begin', 'select count(*) from generate_series(1, 4000000)']) {
      const gone = await connect(shared.directory);
      const blocking = other.query(sql);
      const waiting = gone.query('insert into numbers values (1)');
      const left = gone.end();
      await Promise.all([left, expect(waiting).rejects.toThrow('terminated'), blocking]);
      await other.query('commit');
      expect((await other.query('select n from numbers')).rows).toEqual([]);
    }
    await other.end();
  });

  it('refuses an invalid data directory in one line', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    await expect(startPgliteServer(file)).rejects.toThrow(`${file} is not a directory`);
    await expect(startPgliteServer(join(file, 'below'))).rejects.toThrow('below is not a directory');
    const long = join(home, 'x'.repeat(100));
    await expect(startPgliteServer(long)).rejects.toThrow('the limit is 10');
  });

  it('refuses an unreadable database, and leaves it unchanged', async () => {
    const directory = join(home, 'damaged');
    await mkdir(join(directory, 'pgdata'), { recursive: true });
    await writeFile(join(directory, 'pgdata', 'mine'), '');
    const refused = startPgliteServer(directory);
    await expect(refused).rejects.toThrow(PgliteServerError);
    await expect(refused).rejects.toThrow(/ holds a database that cannot be opened: .*PG_VERSION$/);
    expect(await readdir(join(directory, 'pgdata'))).toEqual(['mine']);
  });
});
