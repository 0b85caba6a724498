import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { call } from './support/client.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { Service, settled } from './support/service.js';
import { until } from './support/until.js';

const KEY = /ask_[0-9A-Za-z]{49}/g;

const embedded = databaseKinds.filter(({ name }) => name === 'embedded');

describe.each(embedded)('DATA_DIR on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await kind.create();
  });
  afterEach(async () => {
    await Service.killAll();
    await database.drop();
  });

  it('has one owner: a second service is refused while the first keeps serving', async () => {
    const first = await Service.start(database.env);
    const key = await first.issueKey();
    const second = new Service(database.env);
    expect(await second.ended()).toBe(1);
    expect(second.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*in use[^\n]*\n$/);
    expect((await call(first.url, { path: '/v1/pets', key })).status).toBe(200);
    expect((await call(first.url, { path: '/health/ready' })).status).toBe(200);
    expect(await first.stop()).toBe(0);
  }, 60_000);

  it('goes to exactly one of several services that start at the same instant after a kill', async () => {
    const killed = await Service.start(database.env);
    const key = await killed.issueKey();
    await killed.stop('SIGKILL');
    for (let round = 0; round < 2; round++) {
      const services = Array.from({ length: 4 }, () => new Service(database.env));
      const ready = await settled(services);
      expect(ready.filter(Boolean)).toHaveLength(1);
      for (const [at, service] of services.entries()) {
        if (ready[at]) {
          expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
        } else {
          expect(await service.ended()).toBe(1);
          expect(service.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*in use[^\n]*\n$/);
        }
      }
      await Service.killAll();
    }
  }, 90_000);

  it('is made for its owner alone', async () => {
    const service = await Service.start(database.env);
    const { stdout } = await promisify(execFile)('stat', ['-c', '%a', database.env.DATA_DIR!]);
    expect(stdout.trim()).toBe('700');
    expect(await service.stop()).toBe(0);
  });

  it('that cannot be made is told in one line', async () => {
    const service = new Service({ DATA_DIR: '/dev/null/data' });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*\n$/);
  });
});

describe.each(embedded)('the demo key on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await kind.create();
  });
  afterEach(async () => {
    await Service.killAll();
    await database.drop();
  });

  it('is printed once, with a curl line that works, and never in the log', async () => {
    const first = await Service.start(database.env);
    const command = await until(() => /^ *(curl .*)$/m.exec(first.stderr)?.[1]);
    expect(first.stderr).toContain(`${first.url}/v1`);
    const keys = new Set(first.stderr.match(KEY));
    expect(keys.size).toBe(1);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent --fail-with-body`]);
    expect(JSON.parse(stdout)).toEqual([]);

    const listed = await first.keys('list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ plan: 'free', perMinute: 60, readOnly: false }]);
    const [key] = keys as unknown as [string];
    const body = { name: 'Rex', categoryId: 1 };
    expect((await call(first.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    expect(await first.stop()).toBe(0);
    expect(first.stdout).not.toMatch(/ask_[0-9A-Za-z]/);
    expect(first.stderr.match(KEY)).toHaveLength(2);

    const second = await Service.start(database.env);
    expect((await call(second.url, { path: '/v1/pets', key })).status).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(second.stderr).toBe('');
    expect(second.stdout).not.toMatch(/ask_[0-9A-Za-z]/);
  }, 60_000);

  it('is not issued where there is a key already', async () => {
    const before = new Service({ ...database.env, NODE_ENV: 'production' });
    await before.untilLogged('ready');
    const { id } = await before.issue('--plan', 'pro');
    expect(await before.stop()).toBe(0);
    expect(before.stderr).toBe('');
    const service = await Service.start(database.env);
    expect(JSON.parse((await service.keys('list', '--json')).stdout)).toMatchObject([{ id }]);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  }, 60_000);

  it('is never issued in production', async () => {
    const service = await Service.start({ ...database.env, NODE_ENV: 'production' });
    expect(JSON.parse((await service.keys('list', '--json')).stdout)).toEqual([]);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  });
});
