import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataDirInUseError, EmbeddedDatabaseError } from './embedded-database.errors.js';
import { reachEmbeddedDatabase, startEmbeddedDatabase } from './embedded-database.js';

let home: string;

beforeAll(async () => {
  // The worker is a file of its own, which only the build makes.
  const worker = new URL('../../../dist/database/embedded/embedded-database.worker.js', import.meta.url);
  if (!existsSync(fileURLToPath(worker))) throw new Error('run `npm run build` before this spec');
  home = await mkdtemp(join(tmpdir(), 'embedded-'));
});

afterAll(() => rm(home, { recursive: true }));

async function query<T extends pg.QueryResultRow>(host: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  const { rows } = await client.query<T>(sql).finally(() => client.end());
  return rows;
}

describe('startEmbeddedDatabase', () => {
  it('serves one owner, is reached by a second process, refuses a second owner, and keeps what was written', async () => {
    const dir = join(home, 'data');
    const first = await startEmbeddedDatabase(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    await query(first.socketDir, 'create table kept as select 1 as n');
    await expect(startEmbeddedDatabase(dir)).rejects.toThrow(new DataDirInUseError(dir));

    const reached = await reachEmbeddedDatabase(dir);
    expect(await query(reached.socketDir, `select n, current_setting('TimeZone') as zone from kept`)).toEqual(
      [{ n: 1, zone: 'UTC' }],
    );
    await reached.close();
    await first.close();
    expect(await readdir(dir)).not.toContain('.s.PGSQL.5432');

    const opened = await reachEmbeddedDatabase(dir);
    expect(await query(opened.socketDir, 'select n from kept')).toEqual([{ n: 1 }]);
    const deep = `select ${'1+'.repeat(50_000)}1`;
    await expect(query(opened.socketDir, deep)).rejects.toThrow('stack depth limit exceeded');
    expect(await query(opened.socketDir, 'select n from kept')).toEqual([{ n: 1 }]);
    await opened.close();
  });

  it('refuses in one line what cannot be a data directory', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    await expect(startEmbeddedDatabase(file)).rejects.toThrow(`DATA_DIR ${file} is not a directory`);
    const long = join(home, 'x'.repeat(100));
    await expect(startEmbeddedDatabase(long)).rejects.toThrow('the limit is 10');
  });

  it('refuses a database it cannot read, and destroys nothing', async () => {
    const dir = join(home, 'damaged');
    await mkdir(join(dir, 'pgdata'), { recursive: true });
    await writeFile(join(dir, 'pgdata', 'mine'), '');
    const refused = startEmbeddedDatabase(dir);
    await expect(refused).rejects.toThrow(EmbeddedDatabaseError);
    await expect(refused).rejects.toThrow(/cannot be opened: .*PG_VERSION$/);
    expect(await readdir(join(dir, 'pgdata'))).toEqual(['mine']);
  });

  it('says so when it cannot write out what it holds at its end', async () => {
    const dir = join(home, 'gone');
    const database = await startEmbeddedDatabase(dir);
    await query(database.socketDir, 'create table unwritten as select 1 as n');
    await rm(join(dir, 'pgdata', 'base'), { recursive: true });
    const closed = database.close();
    await expect(closed).rejects.toThrow(EmbeddedDatabaseError);
    await expect(closed).rejects.toThrow(`DATA_DIR ${dir} could not be closed: `);
  });
});
