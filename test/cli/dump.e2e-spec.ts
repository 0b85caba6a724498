import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { printed, refused, runCommand } from '../support/command-line.js';
import { describeOnServer, embedded, type TestDatabase } from '../support/databases.js';
import { Service } from '../support/service.js';
import { orderOf, Store } from '../support/store.js';

const NAMES = [
  'Rex',
  'quoted\' "\\ back\\slash /',
  'line\nbreak\r\ttab\b\f',
  'control \u0001\u007f',
  '🐕‍🦺 ñ ポチ',
];
const CATEGORIES = [9223372036854775807n, -9223372036854775808n, 9007199254740993n];
const keyed = {
  method: 'POST',
  path: '/v1/pets',
  headers: { 'idempotency-key': 'a repeat' },
  body: '{"name":"once","categoryId":1}',
};

describe('the embedded database', () => {
  let source: TestDatabase;
  let key: string;
  let oldSecret: string;
  let answersBefore: string[];
  let lastPetId: bigint;

  const answersOf = async (store: Store) => {
    const calls = [{ path: '/v1/pets?limit=100' }, { path: '/v1/store/orders' }, keyed];
    return (await Promise.all(calls.map((call) => store.send(call)))).map(({ text }) => text);
  };

  /** The service on a copy of the database answers as before. */
  async function expectSameService(env: TestDatabase['env']) {
    const service = await Service.start(env);
    const store = new Store(service.url, key);
    expect(await answersOf(store)).toEqual(answersBefore);
    expect(await answersOf(new Store(service.url, oldSecret))).toEqual(answersBefore);
    expect((await store.create('next', 1)).id).toBe(lastPetId + 1n);
    expect(orderOf(await store.order(2n)).id).toBe(2n);
    expect((await store.transition(1n, 'cancel')).status).toBe(200);
    await service.stop();
  }

  beforeAll(async () => {
    source = await embedded.create();
    const service = await Service.start(source.env);
    const issued = await service.issue();
    oldSecret = issued.key;
    key = printed(await service.keys('rotate', issued.id, '--json')).key as string;
    const store = new Store(service.url, key);
    for (const name of NAMES) await store.create(name, 1);
    for (const category of CATEGORIES) await store.create('x', category);
    await store.placed(1n);
    await store.send(keyed);
    lastPetId = (await store.create('deleted again', 1)).id;
    await store.remove(lastPetId);
    answersBefore = await answersOf(store);
    expect(refused(await runCommand(source.env, 'dump'), 1)).toContain('is in use by another process');
    await service.stop();
  });

  it('is backed up by a copy of DATA_DIR', async () => {
    const copy = join(temporaryFolder(), 'copy');
    cpSync(source.env.DATA_DIR!, copy, { recursive: true });
    await expectSameService({ DATA_DIR: copy });
  });

  it('is not dumped where there is none, or where a server is used', async () => {
    const nowhere = join(temporaryFolder(), 'data');
    expect(refused(await runCommand({ DATA_DIR: nowhere }, 'dump'), 1)).toContain('holds no database');
    const server = { DATABASE_URL: 'postgres://localhost/animals' };
    expect(refused(await runCommand(server, 'dump'))).toContain('pg_dump');
  });

  describeOnServer('and PostgreSQL', (postgresql) => {
    const psql = (url: string, file: string) =>
      execFileSync('psql', [
        url,
        '--quiet',
        '--single-transaction',
        '--set',
        'ON_ERROR_STOP=1',
        '--file',
        file,
      ]);

    it('moves there by dump and psql, and is backed up there by pg_dump', async () => {
      const { code, stdout, stderr } = await runCommand(source.env, 'dump');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const folder = temporaryFolder();
      const file = join(folder, 'animals.sql');
      writeFileSync(file, stdout);
      const server = await postgresql.createUnmigrated();
      psql(server.env.DATABASE_URL!, file);
      const backup = join(folder, 'animals.dump');
      execFileSync('pg_dump', [
        '--format=custom',
        '--no-owner',
        `--file=${backup}`,
        server.env.DATABASE_URL!,
      ]);
      await expectSameService(server.env);

      const restored = await postgresql.createUnmigrated();
      const options = ['--exit-on-error', '--single-transaction', '--no-owner'];
      execFileSync('pg_restore', [...options, `--dbname=${restored.env.DATABASE_URL!}`, backup]);
      await expectSameService(restored.env);
    });
  });
});
