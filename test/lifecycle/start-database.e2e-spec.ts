import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { cleanUp } from '../support/clean-up.js';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { call } from '../support/http/client.js';
import { runKeys } from '../support/command-line.js';
import {
  connectTo,
  describeOnServer,
  type Env,
  onDatabase,
  type TestDatabase,
} from '../support/databases.js';
import { Service, settled } from '../support/service.js';
import { Store } from '../support/store.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { atOnce, until } from '../support/until.js';

const GIVE_UP_MS = 20_000;
/** AuthenticationOk and ReadyForQuery. */
const SESSION_ACCEPTED = Buffer.from('5200000008000000005a0000000549', 'hex');

/** Sets a parameter for new sessions. */
const alterDatabase = (assignment: string) =>
  `do $$ begin execute format('alter database %I set ${assignment.replaceAll("'", "''")}', current_database()); end $$`;

describeOnServer('the start on PostgreSQL', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  beforeEach(async () => {
    database = await kind.createUnmigrated();
    proxy = await TcpProxy.before(database.env.DATABASE_URL!, 'away');
  });
  afterEach(cleanUp);

  /** Expects the responses to callers and probes while the database is unavailable. */
  async function expectStarting(url: string): Promise<void> {
    const live = await call(url, { path: '/health/live' });
    expect(live.status).toBe(200);
    expect(live.body).toEqual({ status: 'ok' });
    const ready = await call(url, { path: '/health/ready' });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    const withoutKey = await call(url, { path: '/v1/pets' });
    expect(withoutKey.status).toBe(401);
    expect(withoutKey.body).toMatchObject({ code: 'missing_api_key' });
    const malformed = await call(url, { path: '/v1/pets', key: 'ask_nonsense' });
    expect(malformed.body).toMatchObject({ code: 'invalid_api_key' });
    const caller = await call(url, { path: '/v1/pets', key: generateApiKey() });
    expect(caller.status).toBe(503);
    expect(caller.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect(Number(caller.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }

  /** Shadows a function of PostgreSQL in new sessions. */
  async function replaceFunction(signature: string, body: string): Promise<void> {
    await onDatabase(database, `create function ${signature} language sql as $$${body}$$`);
    await onDatabase(database, alterDatabase('search_path = public, pg_catalog'));
  }
  const TRY_LOCK = 'pg_try_advisory_xact_lock(bigint) returns boolean';

  /** Expects that a start ends with one line, and returns that. */
  async function refusal(env: Env): Promise<string> {
    const service = new Service(env);
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    expect(service.stderr + service.stdout).not.toContain('hunter2');
    return service.stderr;
  }

  it('fails in one line if the server is too old or refuses the session', async () => {
    const url = Object.assign(new URL(database.env.DATABASE_URL!), { username: 'shop', password: 'hunter2' });
    expect(await refusal({ DATABASE_URL: url.href })).toMatch(/ refuses the service: .*"shop"/);
    await replaceFunction('current_setting(text) returns text', `select '130014'`);
    expect(await refusal(database.env)).toBe(
      `The database at DATABASE_URL has server_version = '130014': the service needs '14 or later'.\n`,
    );
  });

  it('keeps dates and conflicts exact whatever the settings of the database', async () => {
    for (const setting of [`datestyle = 'SQL, DMY'`, `default_transaction_isolation = serializable`])
      await onDatabase(database, alterDatabase(setting));
    const service = await Service.start(database.env);
    // No demo key is issued.
    expect(await onDatabase(database, 'select from api_keys')).toEqual([]);
    const create = 'create --name a --plan pro --access manage --expires-in 1d --json';
    const issued = await service.keys(...create.split(' '));
    const { key, createdAt, expiresAt } = JSON.parse(issued.stdout) as Record<string, string>;
    expect(Date.parse(expiresAt!)).toBeGreaterThan(Date.parse(createdAt!));
    const store = new Store(service.url, key!);
    const { id } = await store.create('Rex', 1);
    const answers = await atOnce(20, () => store.order(id));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
  });

  it.each(['LATIN1', 'SQL_ASCII'])(
    'fails in one line if the encoding of the database is %s',
    async (encoding) => {
      const name = new URL(database.env.DATABASE_URL!).pathname.slice(1);
      const server = { env: { DATABASE_URL: process.env.TEST_DATABASE_URL! } };
      await onDatabase(server, `drop database ${name}`);
      await onDatabase(
        server,
        `create database ${name} encoding '${encoding}' locale 'C' template template0`,
      );
      expect(await refusal(database.env)).toBe(
        `The database at DATABASE_URL has server_encoding = '${encoding}': the service needs 'UTF8'.\n`,
      );
    },
  );

  it.each(['away', 'frozen'] as const)(
    'waits for a database that is %s, and completes once it is available',
    async (mode) => {
      if (mode === 'frozen') proxy.freeze();
      const service = new Service({ DATABASE_URL: proxy.url });
      const { url } = await service.untilLogged('listening');
      await expectStarting(url as string);
      proxy.restore();
      await service.untilLogged('ready');
      expect((await service.call({ path: '/health/ready' })).status).toBe(200);
      expect((await service.call({ path: '/v1/pets', key: generateApiKey() })).status).toBe(401);
      expect((await service.call({ path: '/v1/pets', key: await service.issueKey() })).status).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );

  /** Expects a start that gives up after `GIVE_UP_MS`. */
  async function expectFailedStart(env: Env): Promise<void> {
    const service = new Service(env);
    const { url } = await service.untilLogged('listening');
    const begun = performance.now();
    await expectStarting(url as string);
    expect(await service.ended()).toBe(1);
    const waited = performance.now() - begun;
    expect(waited).toBeGreaterThan(GIVE_UP_MS - 3_000);
    expect(waited).toBeLessThan(GIVE_UP_MS + 10_000);
    expect(service.stderr).toMatch(/^[^\n]+ at DATABASE_URL [^\n]+\n$/);
    expect(service.stderr + service.stdout).not.toContain('hunter2');
  }

  it('fails in one line if the database stays away, frozen, unknown, or accepts sessions and answers nothing', async () => {
    const frozen = await TcpProxy.before(database.env.DATABASE_URL!, 'frozen');
    const silent = createServer((socket) => {
      socket.once('data', () => socket.write(SESSION_ACCEPTED)).on('error', () => socket.destroy());
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const unknown = 'postgres://shop:hunter2@no-such-host.invalid/shop';
    const urls = [proxy.url, frozen.url, unknown, `postgres://user@127.0.0.1:${port}/animals`];
    await Promise.all(urls.map((url) => expectFailedStart({ DATABASE_URL: url })));
    silent.close();
  });

  it('names the setting of the direct connection when a command cannot use it', async () => {
    proxy.restore();
    const refused = new URL(proxy.url);
    refused.pathname = '/no_such_database';
    const env = { DATABASE_URL: proxy.url, DATABASE_MIGRATION_URL: refused.href };
    const { code, stderr } = await runKeys(env, 'list');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database at DATABASE_MIGRATION_URL refuses the service: [^\n]+\n$/);
  });

  it('warns of migrations of a later release, and serves', async () => {
    expect(await (await Service.start(database.env)).stop()).toBe(0);
    await onDatabase(database, `insert into migrations (timestamp, name) values (9999999999999, 'AddBreed')`);
    const service = await Service.start(database.env);
    const [warning] = service.logged('the database is newer than this release');
    expect(warning).toMatchObject({ level: 'warn', migrations: ['AddBreed'] });
    expect((await service.call({ path: '/v1/pets', key: await service.issueKey() })).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('keeps the options of the URL, for migrations, requests and commands', async () => {
    await onDatabase(database, 'create schema store');
    const url = new URL(database.env.DATABASE_URL!);
    const [host, port] = [url.hostname, url.port];
    // The form without a host in its authority.
    const options = encodeURIComponent('-c search_path=store -c work_mem=7MB -c plan_cache_mode=auto');
    const env = {
      DATABASE_URL: `postgres://${url.username}@${url.pathname}?host=${host}&port=${port}&options=${options}`,
    };
    const service = await Service.start(env);
    await onDatabase(database, 'create table store.noted (setting text)');
    await onDatabase(
      database,
      `create function store.note() returns trigger language plpgsql as $$ begin
        insert into store.noted
          select current_setting(n) from unnest('{work_mem,plan_cache_mode,statement_timeout}'::text[]) n;
        return null; end $$`,
    );
    await onDatabase(
      database,
      'create trigger note after insert on store.pets execute function store.note()',
    );
    await new Store(service.url, await service.issueKey()).create('Rex', 1);
    expect(await onDatabase(database, 'select * from store.noted')).toEqual(
      ['7MB', 'auto', '1s'].map((setting) => ({ setting })),
    );
    const inPublic = `select from pg_tables where schemaname = 'public'`;
    expect(await onDatabase(database, inPublic)).toEqual([]);
  });

  it('says that it waits for the migrating replica, and does not hold up an index that this builds concurrently', async () => {
    await replaceFunction(TRY_LOCK, 'select pg_catalog.pg_try_advisory_xact_lock($1) from pg_sleep(0.2)');
    const migrating = await connectTo(database);
    await migrating.query('select pg_advisory_lock(7251004)');
    await migrating.query(`create table built (id int); set statement_timeout = '10s'`);
    const service = new Service(database.env);
    const asking = `select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like '%try_advisory%'`;
    await until(async () => (await migrating.query(asking)).rowCount === 1);
    // The build waits for the end of the transaction in which the service asks for the lock.
    await migrating.query('create index concurrently on built (id)');
    await service.untilLogged('waiting for another process that migrates the database');
    await migrating.end();
    await service.untilLogged('ready');
    expect(await service.stop()).toBe(0);
  });

  it('of several replicas on an empty database migrates it once, however long the others wait', async () => {
    // The session of the test is older than the short limits.
    const owner = await connectTo(database);
    for (const setting of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await owner.query(alterDatabase(`${setting} = '100ms'`));
    // The holder of this lock migrates.
    await owner.query('select pg_advisory_lock(7251004)');
    const services = Array.from({ length: 4 }, () => new Service(database.env));
    const waiting = `select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and query_start - backend_start > interval '300 ms'`;
    await until(async () => (await owner.query(waiting)).rowCount === services.length);
    await owner.query('select pg_advisory_unlock(7251004)');
    expect(await settled(services)).toEqual([true, true, true, true]);
    const migrating = services.filter((service) => service.logged('migrated the database').length > 0);
    expect(migrating).toHaveLength(1);
    const twice = 'select from migrations group by name having count(*) > 1';
    expect((await owner.query(twice)).rows).toEqual([]);
    await owner.end();
    const key = await services[0]!.issueKey();
    for (const { url } of services) expect((await call(url, { path: '/v1/pets', key })).status).toBe(200);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0, 0, 0]);
  });
});
