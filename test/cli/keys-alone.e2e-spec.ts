import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import {
  printed,
  printedList,
  runCli,
  runKeys,
  type CommandResult,
  type Key,
} from '../support/command-line.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';

describe.each(databaseKinds)('the keys command without a service on $name', (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.createUnmigrated();
  });
  afterAll(cleanUp);

  it('prints an empty list of keys', async () => {
    const { env } = await kind.create();
    expect(printed(await runKeys(env, 'list', '--json'))).toEqual([]);
    expect(await runKeys(env, 'list')).toMatchObject({ code: 0, stderr: '' });
  });

  it('creates a missing database in several processes at once, and issues, shows, lists and revokes keys', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(
      names.map((name) => runCli(database.env, 'keys', 'create', '--name', name, '--plan', 'free', '--json')),
    );
    const issued = results.map((result) => printed(result));
    expect(issued.map(({ name }) => name)).toEqual(names);
    const [first, second] = issued as [Key, Key];
    const revoked = printed(await runKeys(database.env, 'revoke', first.id as string, '--json'));
    expect(printed(await runKeys(database.env, 'show', first.id as string, '--json'))).toEqual(revoked);
    expect(printedList(await runKeys(database.env, 'list', '--json'))).toHaveLength(4);

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
    const listing = Promise.all([list(), list()]);
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
});
