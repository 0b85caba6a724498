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

describe.each(databaseKinds)('the keys command without a service on $name', (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.create();
  });
  afterAll(cleanUp);

  it('prints an empty list of keys', async () => {
    expect(printed(await runKeys(database.env, 'list', '--json'))).toEqual([]);
    expect(await runKeys(database.env, 'list')).toMatchObject({ code: 0, stderr: '' });
  });

  it('issues keys concurrently, and shows, lists and revokes them', async () => {
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

  it('does not prevent a service from starting, and works after a kill of the service', async () => {
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

  it('creates a missing database, also in several processes at once', async () => {
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
