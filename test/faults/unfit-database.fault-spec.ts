import { afterEach, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { databaseKinds, onDatabase, type Env } from '../support/databases.js';
import { startFakePostgres } from '../support/servers/fake-postgres.js';
import { cleanUp, Service } from '../support/service.js';

afterEach(cleanUp);

/** The error line of a start. */
async function refusal(env: Env): Promise<string> {
  const service = new Service(env);
  expect(await service.ended()).toBe(1);
  expect(service.stderr).toMatch(/^[^\n]+\n$/);
  expect(service.stderr + service.stdout).not.toContain('hunter2');
  return service.stderr.trim();
}

it('an unusable database ends the start with one line', async () => {
  const old = await startFakePostgres('130014');
  const closed = await startFakePostgres();
  expect(await refusal({ DATABASE_URL: old.url })).toMatch(/PostgreSQL 13; version 14 or later/);
  expect(await refusal({ DATABASE_URL: closed.url })).toMatch(/password authentication failed/);
  old.server.close();
  closed.server.close();
});

describe.each(databaseKinds)('a $name database of a later release', (kind) => {
  it('is refused in one line and left unchanged', async () => {
    const database = await kind.createUnmigrated();
    const service = await Service.start(database.env);
    const key = await service.issueKey();
    const body = { name: 'Rex', categoryId: 7 };
    expect((await call(service.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    await onDatabase(
      database,
      `insert into migrations (timestamp, name) values (9999999999999, 'FromTheFuture')`,
    );
    // A running service continues, because both releases serve during a rollout.
    expect((await call(service.url, { path: '/v1/pets', key })).body).toMatchObject([{ name: 'Rex' }]);
    expect(await service.stop()).toBe(0);

    expect(await refusal(database.env)).toMatch(/newer than this release.*FromTheFuture/);
    const command = await service.keys('list', '--json');
    expect(command.code).not.toBe(0);
    expect(command.stderr).toMatch(/^[^\n]*newer than this release[^\n]*\n$/);

    if (kind.name === 'postgresql') {
      await onDatabase(database, `delete from migrations where name = 'FromTheFuture'`);
      const again = await Service.start(database.env);
      expect((await call(again.url, { path: '/v1/pets', key })).body).toMatchObject([{ name: 'Rex' }]);
      expect(await again.stop()).toBe(0);
    }
  });
});
