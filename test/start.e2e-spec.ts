import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { generateApiKey } from '../src/auth/api-key-format.js';
import { call } from './support/client.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { Service } from './support/service.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { until } from './support/until.js';

const KEY = /ask_[0-9A-Za-z]{49}/g;
const GIVE_UP_MS = 20_000;

const embedded = databaseKinds.filter(({ name }) => name === 'embedded');
const postgresql = databaseKinds.filter(({ name }) => name === 'postgresql');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-start-'));
});
afterEach(() => Service.killAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves when every service has either become ready or ended. */
function settled(services: Service[]): Promise<boolean[]> {
  return Promise.all(
    services.map((service) =>
      service.untilLogged('ready').then(
        () => true,
        () => false,
      ),
    ),
  );
}

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the environment', () => {
  it('is refused with all its mistakes together, before anything is opened', async () => {
    const inUse = createServer();
    await once(inUse.listen(0, '127.0.0.1'), 'listening');
    const dataDir = join(folder, 'never-made');
    const service = new Service({
      // Trying to listen would show up as another complaint.
      PORT: String((inUse.address() as AddressInfo).port),
      DATA_DIR: dataDir,
      DATABASE_POOL_SIZE: '0',
      SHUTDOWN_DELAY_MS: '-1',
      LOG_LEVEL: 'loud',
      ENFORCE_SUNSET: 'perhaps',
      TRUST_PROXY: 'everyone',
      REDIS_URL: 'http://operator:hunter2@127.0.0.1/0',
      PUBLIC_BASE_URL: 'https://store.example.com/v2',
      CORS_ORIGINS: '*',
      ANONYMOUS_PER_MINUTE: '0',
      METRICS_PORT: '65536',
      HOST_FILE: join(folder, 'no-such-file'),
    });
    expect(await service.ended()).toBe(1);
    inUse.close();
    const lines = service.stderr.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => /^[A-Z_]+/.exec(line)?.[0]).sort()).toEqual([
      'ANONYMOUS_PER_MINUTE',
      'CORS_ORIGINS',
      'DATABASE_POOL_SIZE',
      'ENFORCE_SUNSET',
      'HOST_FILE',
      'LOG_LEVEL',
      'METRICS_PORT',
      'PUBLIC_BASE_URL',
      'REDIS_URL',
      'SHUTDOWN_DELAY_MS',
      'TRUST_PROXY',
    ]);
    expect(service.stderr).not.toContain('hunter2');
    expect(service.stdout).toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([
    ['PORT', { PORT: '' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '3e3' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://root:hunter2@127.0.0.1/store' }],
    ['DATABASE_URL', { DATABASE_URL: 'hunter2' }],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'postgres://root:hunter2@127.0.0.1/store', DATABASE_URL_FILE: '/dev/null' },
    ],
    ['DATA_DIR', { DATA_DIR: '' }],
    ['REDIS_CLUSTER', { REDIS_CLUSTER: 'true' }],
  ])('is refused for a wrong %s: %j', async (name, env) => {
    const service = new Service({ DATA_DIR: join(folder, 'never-made-either'), ...env });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(new RegExp(`^${name}[^\\n]+\\n$`));
    expect(service.stderr).not.toContain('hunter2');
    expect(service.stdout).toBe('');
    expect(existsSync(join(folder, 'never-made-either'))).toBe(false);
  });

  it.each(databaseKinds)('may come out of files, on $name', async ({ name, create }) => {
    const database = await create();
    const files = Object.entries({ ...database.env, SHUTDOWN_DELAY_MS: '7', LOG_LEVEL: 'info' }).map(
      ([variable, value]): [string, string] => [
        `${variable}_FILE`,
        fileWith(`${name}-${variable}`, `${value}\n`),
      ],
    );
    const { SHUTDOWN_DELAY_MS_FILE: _, ...env } = Object.fromEntries(files);
    const service = await Service.start(env);
    expect(await service.untilLogged('ready')).toMatchObject({ database: name });
    expect(await service.stop()).toBe(0);
    await database.drop();
  });
});

describe.each(databaseKinds)('a port in use on $name', ({ create }) => {
  it('is told in one line', async () => {
    const database = await create();
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as AddressInfo;
    const service = new Service({ ...database.env, PORT: String(port) });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    expect(service.stderr).toContain(String(port));
    // The data directory has not been taken either: the next one starts.
    other.close();
    await once(other, 'close');
    const next = await Service.start({ ...database.env, PORT: String(port) });
    expect(await next.stop()).toBe(0);
    await database.drop();
  });
});

describe.each(databaseKinds)('a service killed on $name', ({ create }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
  });
  afterEach(async () => {
    await Service.killAll();
    await database.drop();
  });

  it('has lost no pet that it acknowledged, and the next start works', async () => {
    const first = await Service.start(database.env);
    const key = await first.issueKey();
    const acknowledged: unknown[] = [];
    const write = async (lane: number) => {
      for (let turn = 0; ; turn++) {
        const body = { name: `${lane}.${turn}`, categoryId: lane };
        const answer = await call(first.url, { method: 'POST', path: '/v1/pets', key, body });
        if (answer.status === 201) acknowledged.push(answer.body);
      }
    };
    // Each lane writes until the connection fails under it.
    const lanes = [1, 2, 3, 4].map((lane) => write(lane).catch(() => undefined));
    await until(() => acknowledged.length >= 100);
    await first.stop('SIGKILL');
    await Promise.all(lanes);

    const second = await Service.start(database.env);
    const found: unknown[] = [];
    let path: string | undefined = '/v1/pets?limit=100';
    while (path !== undefined) {
      const page = await call(second.url, { path, key });
      expect(page.status).toBe(200);
      found.push(...(page.body as unknown[]));
      const cursor = page.headers['x-next-cursor'] as string | undefined;
      path = cursor === undefined ? undefined : `/v1/pets?limit=100&cursor=${cursor}`;
    }
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    const body = { name: 'afterwards', categoryId: 1 };
    expect((await call(second.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    expect(await second.stop()).toBe(0);
  }, 60_000);

  it('can be killed at any moment of its first start', async () => {
    for (const message of ['listening', 'migrated the database']) {
      const service = new Service(database.env);
      await service.untilLogged(message);
      await service.stop('SIGKILL');
    }
    const service = await Service.start(database.env);
    expect((await call(service.url, { path: '/v1/pets', key: await service.issueKey() })).status).toBe(200);
    expect(await service.stop()).toBe(0);
  }, 60_000);
});

describe.each(embedded)('DATA_DIR on $name', ({ create }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
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
  });

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
    const { stdout } = await promisify(execFile)('stat', ['-c', '%a', database.env['DATA_DIR']!]);
    expect(stdout.trim()).toBe('700');
    expect(await service.stop()).toBe(0);
  });

  it('that cannot be made is told in one line', async () => {
    const service = new Service({ DATA_DIR: join(fileWith('a-file', ''), 'data') });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]*DATA_DIR[^\n]*\n$/);
  });
});

describe.each(embedded)('the demo key on $name', ({ create }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
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
  });

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
  });

  it('is never issued in production', async () => {
    const service = await Service.start({ ...database.env, NODE_ENV: 'production' });
    expect(JSON.parse((await service.keys('list', '--json')).stdout)).toEqual([]);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  });
});

describe.each(postgresql)('starting on $name', ({ create }) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  beforeEach(async () => {
    database = await create();
    proxy = await TcpProxy.before(database.env['DATABASE_URL']!, 'away');
  });
  afterEach(async () => {
    await Service.killAll();
    await proxy.close();
    await database.drop();
  });

  /** What callers and orchestrators see while the database is not there. */
  async function expectStarting(url: string): Promise<void> {
    const live = await call(url, { path: '/health/live' });
    expect(live.status).toBe(200);
    expect(live.body).toEqual({ status: 'ok' });
    const ready = await call(url, { path: '/health/ready' });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    const stranger = await call(url, { path: '/v1/pets' });
    expect(stranger.status).toBe(401);
    expect(stranger.body).toMatchObject({ code: 'missing_api_key' });
    const malformed = await call(url, { path: '/v1/pets', key: 'ask_nonsense' });
    expect(malformed.body).toMatchObject({ code: 'invalid_api_key' });
    const caller = await call(url, { path: '/v1/pets', key: generateApiKey() });
    expect(caller.status).toBe(503);
    expect(caller.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect(Number(caller.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }

  it('shows no demo key', async () => {
    const service = await Service.start(database.env);
    expect(JSON.parse((await service.keys('list', '--json')).stdout)).toEqual([]);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  });

  it.each(['away', 'frozen'] as const)(
    'waits for a database that is %s, and is ready once it appears',
    async (mode) => {
      if (mode === 'frozen') proxy.freeze();
      const service = new Service({ DATABASE_URL: proxy.url });
      const { url } = await service.untilLogged('listening');
      await expectStarting(url as string);
      proxy.restore();
      await service.untilLogged('ready');
      expect((await call(service.url, { path: '/health/ready' })).status).toBe(200);
      expect((await call(service.url, { path: '/v1/pets', key: generateApiKey() })).status).toBe(401);
      expect((await call(service.url, { path: '/v1/pets', key: await service.issueKey() })).status).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );

  it.each(['away', 'frozen'] as const)(
    'gives up with one line on a database that stays %s',
    async (mode) => {
      if (mode === 'frozen') proxy.freeze();
      const begun = performance.now();
      const service = new Service({ DATABASE_URL: proxy.url });
      const { url } = await service.untilLogged('listening');
      await expectStarting(url as string);
      expect(await service.ended()).toBe(1);
      const waited = performance.now() - begun;
      expect(waited).toBeGreaterThan(GIVE_UP_MS - 3_000);
      expect(waited).toBeLessThan(GIVE_UP_MS + 10_000);
      expect(service.stderr).toMatch(/^[^\n]+\n$/);
    },
    40_000,
  );

  it('gives up on a database that stops answering in the middle of the start', async () => {
    proxy.restore();
    // The schema cannot be made while somebody holds this lock on the database's catalogue.
    const holder = new pg.Client({ connectionString: database.env['DATABASE_URL']! });
    await holder.connect();
    await holder.query('begin; lock table pg_class in access exclusive mode');
    const service = new Service({ DATABASE_URL: proxy.url });
    await service.untilLogged('listening');
    await until(async () => {
      const { rows } = await holder.query('select 1 from pg_locks where not granted limit 1');
      return rows.length > 0;
    });
    proxy.freeze();
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    await holder.end();
  }, 60_000);

  it('shows no password in what it says about its database', async () => {
    const url = new URL(database.env['DATABASE_URL']!);
    url.username = 'nobody_of_this_name';
    url.password = 'hunter2';
    url.pathname = '/no_such_database';
    const service = new Service({ DATABASE_URL: url.href });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    expect(service.stderr + service.stdout).not.toContain('hunter2');
  });

  it('brings several replicas up together on an empty database, which is migrated once', async () => {
    const services = Array.from({ length: 4 }, () => new Service(database.env));
    expect(await settled(services)).toEqual([true, true, true, true]);
    const migrating = services.filter(({ log }) => log.some(({ msg }) => msg === 'migrated the database'));
    expect(migrating).toHaveLength(1);
    const client = new pg.Client({ connectionString: database.env['DATABASE_URL']! });
    await client.connect();
    const { rows } = await client.query<{ times: string }>(
      'select count(*) as times from migrations group by name',
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ times }) => times === '1')).toBe(true);
    const [first, ...others] = services as [Service, ...Service[]];
    const key = await first.issueKey();
    for (const { url } of others) expect((await call(url, { path: '/v1/pets', key })).status).toBe(200);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0, 0, 0]);
  }, 60_000);
});
