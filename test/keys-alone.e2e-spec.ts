import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from './support/client.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { printed, printedList, type Key } from './support/keys.js';
import { runKeys, Service, type CommandResult } from './support/service.js';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(databaseKinds)('keys on $name while no service runs', (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.create();
  });
  afterAll(async () => {
    await Service.killAll();
    await database.drop();
  });

  it('prints an empty list where there are none', async () => {
    expect(printed(await runKeys(database.env, 'list', '--json'))).toEqual([]);
    const forPeople = await runKeys(database.env, 'list');
    expect(forPeople).toMatchObject({ code: 0, stderr: '' });
  });

  it('issues, shows, lists and revokes, several at the same time, for the service that starts next', async () => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        runKeys(database.env, 'create', '--name', name, '--plan', 'free', '--json'),
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
  }, 60_000);

  it('works after the service was killed', async () => {
    const service = await Service.start(database.env);
    const { id } = await service.issue();
    await service.stop('SIGKILL');
    const listed = printedList(await runKeys(database.env, 'list', '--json'));
    expect(listed.map((key) => key.id)).toContain(id);
  }, 60_000);

  it('keeps no service from starting meanwhile', async () => {
    let isStarting = true;
    const failed: CommandResult[] = [];
    const lane = async () => {
      while (isStarting) {
        const result = await runKeys(database.env, 'list', '--json');
        if (result.code !== 0) failed.push(result);
      }
    };
    const lanes = [lane(), lane(), lane()];
    const service = await Service.start(database.env).finally(async () => {
      isStarting = false;
      await Promise.all(lanes);
    });
    expect(failed).toEqual([]);
    expect(await service.stop()).toBe(0);
  }, 60_000);

  it('works on a database that is not there yet, several at the same time', async () => {
    const fresh = await kind.create();
    try {
      const results = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) =>
          runKeys(fresh.env, 'create', '--name', name, '--plan', 'free', '--json'),
        ),
      );
      expect(results.map((result) => printed(result).name)).toEqual(['a', 'b', 'c', 'd']);
      expect(printedList(await runKeys(fresh.env, 'list', '--json'))).toHaveLength(4);
    } finally {
      await fresh.drop();
    }
  }, 60_000);
});
