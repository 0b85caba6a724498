import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { refused, runCommands, runKeys } from '../support/command-line.js';
import { temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const KEY = /ask_[0-9A-Za-z]{49}/g;
const IN_USE = /^[^\n]*DATA_DIR[^\n]*in use[^\n]*\n$/;

// directory.spec.ts has owners that start at once after a kill.
it('DATA_DIR has a demo key, printed once, and one owner, also after a kill', async () => {
  const { env } = await embedded.create();
  const first = await Service.start(env);
  const command = await until(() => /^ *(curl .*)$/m.exec(first.stderr)?.[1]);
  expect(first.stderr).toContain(`${first.url}/v1`);
  expect(first.stderr).toContain('npm run seed');
  const [key, ...others] = new Set(first.stderr.match(KEY));
  expect(others).toEqual([]);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent --fail-with-body`]);
  expect(JSON.parse(stdout)).toEqual([]);
  const { stdout: keys } = await first.keys('list', '--json');
  expect(JSON.parse(keys)).toMatchObject([{ plan: 'free', perMinute: 60, access: 'manage' }]);
  const body = { name: 'Rex', categoryId: 1 };
  expect((await first.call({ method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);

  const second = new Service(env);
  expect(await second.ended()).toBe(1);
  expect(second.stderr).toMatch(IN_USE);
  expect((await first.call({ path: '/v1/pets', key })).status).toBe(200);
  expect((await first.call({ path: '/health/ready' })).status).toBe(200);
  await first.stop('SIGKILL');
  expect(first.stdout).not.toMatch(/ask_[0-9A-Za-z]/);
  expect(first.stderr.match(KEY)).toHaveLength(2);

  const next = await Service.start(env);
  expect((await next.call({ path: '/v1/pets', key })).text).toContain('Rex');
  // No second key is issued; a command that issues one is shown.
  expect(JSON.parse((await next.keys('list', '--json')).stdout)).toHaveLength(1);
  const hint = await until(() => /npm run --silent keys -- (create .*)$/m.exec(next.stderr)?.[1]);
  expect(await next.keys(...hint.split(' '))).toMatchObject({ code: 0, stdout: expect.stringMatching(KEY) });
  expect(await next.stop()).toBe(0);
  expect(next.stderr).toContain(`${next.url}/docs`);
  expect(next.stderr).not.toMatch(KEY);

  // The database is reached on its own socket, whatever the variables of PostgreSQL clients name.
  const settings = { ...env, PGPORT: '1', PGSSLMODE: 'require' };
  const name = `the embedded database in ${env.DATA_DIR!}`;
  expect(await runKeys(settings, 'list', '--json')).toMatchObject({ code: 0, stderr: `used ${name}\n` });
  // A command names its database also where it refuses.
  const id = '00000000-0000-4000-8000-000000000000';
  expect(refused(await runKeys(settings, 'show', id))).toMatch(`(${name})\n`);
});

it('a command without DATABASE_URL and without a database in DATA_DIR says so, and creates nothing', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const commands = ['keys list', 'keys create --name=a --plan=free', 'seed --pets=1'];
  const results = await runCommands(
    { DATA_DIR: dataDir },
    commands.map((line) => line.split(' ')),
  );
  for (const result of results)
    expect(refused(result)).toMatch(
      `There is no database: DATABASE_URL is not set, and DATA_DIR ${dataDir} holds none`,
    );
  expect(existsSync(dataDir)).toBe(false);
});

it('DATA_DIR is reported in one line if it cannot be created', async () => {
  const service = new Service({ DATA_DIR: '/dev/null/data' });
  expect(await service.ended()).toBe(1);
  expect(service.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*\n$/);
});
