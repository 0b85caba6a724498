import { describe, expect, it } from '@jest/globals';
import { printed, printedList, runCli, runKeys, type CommandResult } from '../support/command-line.js';
import { databaseKinds } from '../support/databases.js';
import { Service } from '../support/service.js';

describe.each(databaseKinds)('the keys command on $name', (kind) => {
  it('works without a service, in several processes at once, does not prevent a service from starting, and works after its kill', async () => {
    const { env } = await kind.create();
    const names = ['a', 'b', 'c'];
    const results = await Promise.all(
      names.map((name) => runCli(env, 'keys', 'create', '--name', name, '--plan', 'free', '--json')),
    );
    const issued = results.map((result) => printed(result));
    expect(issued.map(({ name }) => name)).toEqual(names);
    const [first, second] = issued.map(({ id, key }) => ({ id: String(id), key: String(key) }));
    const revoked = printed(await runKeys(env, 'revoke', first!.id, '--json'));
    expect(printed(await runKeys(env, 'show', first!.id, '--json'))).toEqual(revoked);

    let isStarting = true;
    const failed: CommandResult[] = [];
    const list = async () => {
      while (isStarting) {
        const result = await runCli(env, 'keys', 'list', '--json');
        if (result.code !== 0) failed.push(result);
      }
    };
    const listing = Promise.all([list(), list()]);
    const service = await Service.start(env).finally(async () => {
      isStarting = false;
      await listing;
    });
    expect(failed).toEqual([]);
    const statusFor = async (key: string) => (await service.call({ path: '/v1/pets', key })).status;
    expect([await statusFor(first!.key), await statusFor(second!.key)]).toEqual([401, 200]);
    const { id } = await service.issue();
    await service.stop('SIGKILL');
    expect(service.stderr).not.toMatch(/ask_[0-9A-Za-z]{9}/);
    const listed = printedList(await runKeys(env, 'list', '--json'));
    expect(listed).toHaveLength(4);
    expect(listed.map((key) => key.id)).toContain(id);
  });
});
