import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { describeOnServer, type Env, onDatabase, type TestDatabase } from '../support/databases.js';
import { runCli } from '../support/command-line.js';
import { distWith } from '../support/short-durations.js';
import { Service } from '../support/service.js';
import { Store } from '../support/store.js';
import { atOnce, until } from '../support/until.js';

const DEPLOYED = fileURLToPath(new URL('../../deploy/postgresql/roles.sql', import.meta.url));
const CONNECTIONS = 3;
const CALLERS = 8;
const POSTS = 20;

describeOnServer('a service with a role of its own', (kind) => {
  // Roles belong to the server, which other tests use too.
  const role = `animal_store_${randomBytes(4).toString('hex')}`;
  let database: TestDatabase;
  let env: Env;

  beforeAll(async () => {
    database = await kind.createUnmigrated();
    await onDatabase(database, readFileSync(DEPLOYED, 'utf8').replaceAll('animal_store', role));
    const urlOf = (username: string) => Object.assign(new URL(database.env.DATABASE_URL!), { username }).href;
    env = { DATABASE_URL: urlOf(role), DATABASE_MIGRATION_URL: urlOf(`${role}_owner`) };
  });
  afterAll(async () => {
    await Service.killAll();
    for (const each of [role, `${role}_owner`]) await onDatabase(database, `drop owned by ${each} cascade`);
    for (const each of [role, `${role}_owner`]) await onDatabase(database, `drop role ${each}`);
  });

  it('serves and deletes expired rows without a right to change the schema', async () => {
    const service = await Service.start(env, distWith({ closeWithinMs: 10_000, taskPauseMs: 60 }));
    const store = new Store(service.url, await service.issueKey());
    const { id } = await store.create('Rex', 1);
    await store.update(id, { name: 'Max' });
    const order = await store.placed(id);
    await store.transition(order.id, 'cancel');
    await store.remove(id);
    const headers = { 'idempotency-key': 'a repeat' };
    await store.send({ method: 'POST', path: '/v1/pets', body: { name: 'Tom', categoryId: 1 }, headers });
    for (const path of ['/v1/store/inventory', '/v1/usage', '/v1/rate-limit', '/v1/store/orders'])
      expect((await store.send({ path })).status).toBe(200);
    await until(async () => (await onDatabase(database, 'select from usage_days')).length > 0);
    const old = `now() - interval '500 days'`;
    for (const [table, column] of [
      ['idempotency_keys', 'created_at'],
      ['key_events', 'at'],
      ['usage_days', 'day'],
      ['usage_writers', 'written_at'],
    ]) {
      await onDatabase(database, `update ${table} set ${column} = ${old}`);
      await until(
        async () =>
          (await onDatabase(database, `select from ${table} where ${column} <= ${old}`)).length === 0,
      );
    }
    expect(await service.stop()).toBe(0);
    expect(service.stdout).not.toMatch(/"level":"(warn|error)"/);
    const denied = onDatabase(
      { env: { DATABASE_URL: env.DATABASE_URL! } },
      'alter table pets add breed text',
    );
    await expect(denied).rejects.toThrow('must be owner of table pets');
    expect(await runCli(env, 'seed', '--pets', '5')).toMatchObject({ code: 0 });
  });

  /** Expects that a start ends with one line, and returns that. */
  async function refusal(settings: Env): Promise<string> {
    const service = new Service({ ...env, ...settings });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    return service.stderr;
  }
  const LACKS = 'The database at DATABASE_URL lacks a table of the service, or a right to use it';

  it('does not start where it does not find the tables that the migrations made', async () => {
    const elsewhere = await kind.createUnmigrated();
    expect(await refusal({ DATABASE_URL: elsewhere.env.DATABASE_URL! })).toMatch(
      new RegExp(`^${LACKS}: \\w+\\. DATABASE_MIGRATION_URL must name the same database.*search_path`),
    );
    await onDatabase(database, `revoke insert on pets from ${role}`);
    expect(await refusal({})).toContain(`${LACKS}: pets.`);
    await onDatabase(database, `grant insert on pets to ${role}`);
    await onDatabase(database, 'alter table pets rename name to title');
    // The migrations have run, so the owner starts nothing either.
    expect(await refusal({})).toContain(`${LACKS}: column "name" does not exist.`);
    await onDatabase(database, 'alter table pets rename title to name');
  });

  it('answers 503 while its role does not find the tables', async () => {
    const service = await Service.start(env);
    const key = await service.issueKey();
    const setPath = async (path: string) => {
      await onDatabase(database, `alter role ${role} set search_path = ${path}`);
      await onDatabase(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
      );
    };
    const isStatus = (path: string, status: number) =>
      until(async () => (await service.call({ path, key })).status === status);
    await setPath('nowhere');
    await isStatus('/health/ready', 503);
    await isStatus('/v1/pets', 503);
    const create = { method: 'POST', path: '/v1/pets', key, body: { name: 'Rex', categoryId: 1 } };
    expect((await service.call(create)).status).toBe(503);
    await setPath('public');
    await isStatus('/health/ready', 200);
    await until(async () => (await service.call(create)).status === 201);
    expect(service.logged('internal_error')).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('answers every request when the role may open fewer connections than the pool', async () => {
    await onDatabase(database, `alter role ${role} connection limit ${CONNECTIONS}`);
    const service = await Service.start({ ...env, DATABASE_POOL_SIZE: '8' });
    const key = await service.issueKey({ perMinute: 1_000_000, perDay: 1_000_000 });
    const body = { name: 'Rex', categoryId: 1 };
    const statuses = new Set<number>();
    await atOnce(CALLERS, async (caller) => {
      for (let count = 0; count < POSTS; count += 1) {
        const headers = { 'idempotency-key': `${caller} ${count}` };
        statuses.add((await service.call({ method: 'POST', path: '/v1/pets', key, body, headers })).status);
        statuses.add((await service.call({ method: 'POST', path: '/v1/pets', key, body })).status);
        statuses.add((await service.call({ path: '/v1/pets?limit=1', key })).status);
      }
    });
    expect([...statuses].sort()).toEqual([200, 201]);
    expect(service.logged('the server refuses further connections: requests wait for one')).toHaveLength(1);
    expect(service.logged('the database is away')).toEqual([]);
  });
});
