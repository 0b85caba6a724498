import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import {
  runCli,
  runKeys,
  type CommandResult,
  printed,
  printedList,
  type Key,
} from '../support/command-line.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(databaseKinds)('keys on $name while no service runs', (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.create();
  });
  afterAll(cleanUp);

  it('prints an empty list where there are none', async () => {
    expect(printed(await runKeys(database.env, 'list', '--json'))).toEqual([]);
    expect(await runKeys(database.env, 'list')).toMatchObject({ code: 0, stderr: '' });
  });

  it('issues, shows, lists and revokes, several at the same time, for the service that starts next', async () => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        runCli(database.env, 'keys', 'create', '--name', name, '--plan', 'free', '--json'),
      ),
    );
    const issued = results.map((result) => printed(result));
    const [first, second] = issued as [Key, Key];
    const revoked = printed(await runKeys(database.env, 'revoke', first.id as string, '--json'));
    expect(revoked.revokedAt).toMatch(MOMENT);
    expect(printed(await runKeys(database.env, 'show', first.id as string, '--json'))).toEqual(revoked);
    expect(printedList(await runKeys(database.env, 'list', '--json'))).toHaveLength(5);

    const service = await Service.start(database.env);
    const statusFor = async (key: unknown) =>
      (await call(service.url, { path: '/v1/pets', key: key as string })).status;
    expect(await statusFor(first.key)).toBe(401);
    expect(await statusFor(second.key)).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  });

  it('keeps no service from starting meanwhile, and works after the service was killed', async () => {
    let isStarting = true;
    const failed: CommandResult[] = [];
    const list = async () => {
      while (isStarting) {
        const result = await runCli(database.env, 'keys', 'list', '--json');
        if (result.code !== 0) failed.push(result);
      }
    };
    const listing = Promise.all([list(), list(), list()]);
    const service = await Service.start(database.env).finally(async () => {
      isStarting = false;
      await listing;
    });
    expect(failed).toEqual([]);
    const { id } = await service.issue();
    await service.stop('SIGKILL');
    const listed = printedList(await runKeys(database.env, 'list', '--json'));
    expect(listed.map((key) => key.id)).toContain(id);
  });

  it('works on a database that is not there yet, several at the same time', async () => {
    const fresh = await kind.createUnmigrated();
    try {
      const results = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) =>
          runCli(fresh.env, 'keys', 'create', '--name', name, '--plan', 'free', '--json'),
        ),
      );
      expect(results.map((result) => printed(result).name)).toEqual(['a', 'b', 'c', 'd']);
      expect(printedList(await runKeys(fresh.env, 'list', '--json'))).toHaveLength(4);
    } finally {
      await fresh.drop();
    }
  });
});
