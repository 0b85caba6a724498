import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { call } from '../support/http/client.js';
import { runKeys } from '../support/command-line.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service, settled } from '../support/service.js';
import { until } from '../support/until.js';

const KEY = /ask_[0-9A-Za-z]{49}/g;
const IN_USE = /^[^\n]*DATA_DIR[^\n]*in use[^\n]*\n$/;

describe('DATA_DIR', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await embedded.createUnmigrated();
  });
  afterEach(cleanUp);

  it('has one owner, also when several services start at once after a kill', async () => {
    const first = await Service.start({ ...database.env, NODE_ENV: 'production' });
    // A demo key is never issued in production.
    expect(JSON.parse((await first.keys('list', '--json')).stdout)).toEqual([]);
    const { id, key } = await first.issue();
    const second = new Service(database.env);
    expect(await second.ended()).toBe(1);
    expect(second.stderr).toMatch(IN_USE);
    expect((await call(first.url, { path: '/v1/pets', key })).status).toBe(200);
    expect((await call(first.url, { path: '/health/ready' })).status).toBe(200);
    // Only the user of the service may read the directory.
    expect(statSync(database.env.DATA_DIR!).mode & 0o777).toBe(0o700);
    await first.stop('SIGKILL');
    expect(first.stderr).toBe('');

    const services = Array.from({ length: 4 }, () => new Service(database.env));
    const ready = await settled(services);
    expect(ready.filter(Boolean)).toHaveLength(1);
    for (const [at, service] of services.entries()) {
      if (ready[at]) {
        expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
        // Nor is one issued if a key exists.
        expect(JSON.parse((await service.keys('list', '--json')).stdout)).toMatchObject([{ id }]);
        expect(await service.stop()).toBe(0);
        expect(service.stderr).toBe('');
      } else {
        expect(await service.ended()).toBe(1);
        expect(service.stderr).toMatch(IN_USE);
      }
    }
  });

  it('is reached on its own socket, whatever the variables of PostgreSQL clients name', async () => {
    const listed = await runKeys({ ...database.env, PGPORT: '1', PGSSLMODE: 'require' }, 'list', '--json');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
  });

  it('is reported in one line if it cannot be created', async () => {
    const service = new Service({ DATA_DIR: '/dev/null/data' });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*\n$/);
  });
});

describe('the demo key', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await embedded.createUnmigrated();
  });
  afterEach(cleanUp);

  it('is printed once with a working curl command, and never logged', async () => {
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
  });
});
