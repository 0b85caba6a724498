import { afterEach, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { startFakePostgres } from '../support/servers/fake-postgres.js';
import { Service } from '../support/service.js';
import { reportFigures } from './support/figures.js';

afterEach(() => Service.killAll());

/** The error line of a start, and the time until it was printed. */
async function refusal(env: Record<string, string>): Promise<{ line: string; ms: number }> {
  const begunMs = performance.now();
  const service = new Service(env);
  expect(await service.ended()).toBe(1);
  expect(service.stderr).toMatch(/^[^\n]+\n$/);
  expect(service.stderr + service.stdout).not.toContain('hunter2');
  return { line: service.stderr.trim(), ms: Math.round(performance.now() - begunMs) };
}

it('an unusable database ends the start with one line', async () => {
  const old = await startFakePostgres('130014');
  const closed = await startFakePostgres();
  const [tooOld, wrongPassword, unknownHost] = await Promise.all([
    refusal({ DATABASE_URL: old.url }),
    refusal({ DATABASE_URL: closed.url }),
    refusal({ DATABASE_URL: 'postgres://shop:hunter2@no-such-host.invalid/shop' }),
  ]);
  old.server.close();
  closed.server.close();
  expect(tooOld.line).toMatch(/PostgreSQL 13; version 14 or later/);
  expect(wrongPassword.line).toMatch(/password authentication failed/);
  expect(unknownHost.line).toMatch(/no-such-host\.invalid/);
  // The service waits for an unknown name, which may become known like a server.
  expect(unknownHost.ms).toBeGreaterThan(17_000);
  reportFigures('unfit databases', {
    'version 13:': tooOld.line,
    'wrong password:': wrongPassword.line,
    'unknown host:': unknownHost.line,
  });
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

    const { line } = await refusal(database.env);
    expect(line).toMatch(/newer than this release.*FromTheFuture/);
    const command = await service.keys('list', '--json');
    expect(command.code).not.toBe(0);
    expect(command.stderr).toMatch(/^[^\n]*newer than this release[^\n]*\n$/);
    reportFigures(`${kind.name} from a later release`, { line });

    if (kind.name === 'postgresql') {
      await onDatabase(database, `delete from migrations where name = 'FromTheFuture'`);
      const again = await Service.start(database.env);
      expect((await call(again.url, { path: '/v1/pets', key })).body).toMatchObject([{ name: 'Rex' }]);
      expect(await again.stop()).toBe(0);
    }
    await database.drop();
  });
});
