import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { atOnce } from '../support/until.js';
import { runCli } from '../support/command-line.js';
import { onDatabase, type Env } from '../support/databases.js';
import { Service } from '../support/service.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { RedisServer } from '../faults/support/redis-server.js';
import { Requester } from '../faults/support/requester.js';
import { runSuite } from './support/http-suite.js';
import { pgbouncer, startPgbouncer } from './support/pgbouncer.js';
import { describeWhere } from './support/installed.js';

const ROLE = fileURLToPath(new URL('../../deploy/postgresql/pooler.sql', import.meta.url));

/** Fewer connections to the server than one service has to the pooler, so that transactions often change connections. */
const POOL_SIZE = 6;
const REPLICAS = 3;
const KEYS = 20;
const REQUESTS_A_KEY = 30;
/** This test counts statements by name, and PgBouncer gives them others. */
const WITHOUT = 'the look-up of a key in the database happens once';

/** The settings that PgBouncer itself makes for each client. */
const SET_BY_POOLER = [
  'application_name',
  'client_encoding',
  'DateStyle',
  'standard_conforming_strings',
  // Set by each transaction.
  'transaction_isolation',
  'TimeZone',
];
const STATE = `select name as state from pg_settings where source = 'session' and not name = any('{${SET_BY_POOLER.join()}}')
  union all select name from pg_prepared_statements where name not like 'PGBOUNCER%'
  union all select 'an advisory lock' from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;

const { release, program, isInstalled } = pgbouncer;
describeWhere(isInstalled && OwnPostgres.isInstalled, release, `the service behind ${release}`, () => {
  let server: OwnPostgres;
  let poolerUrl: string;
  let redis: RedisServer;
  let env: Env;

  beforeAll(async () => {
    server = await OwnPostgres.create({ max_connections: '200' });
    poolerUrl = await startPgbouncer(server.url, program, POOL_SIZE);
    redis = await RedisServer.start();
    await server.query(readFileSync(ROLE, 'utf8').replaceAll('role animal_store', 'role postgres'));
    env = { DATABASE_URL: poolerUrl, DATABASE_MIGRATION_URL: server.url, REDIS_URL: redis.url };
  });
  afterEach(() => Service.killAll());

  /** The session state that another client finds on the connections to the server. It uses all of them at once. */
  async function stateLeftBehind(): Promise<string[]> {
    const pooled = { env: { DATABASE_URL: poolerUrl } };
    const statement = `select coalesce((select array_agg(state) from (${STATE}) as left_behind), '{}') as states, pg_sleep(0.3)`;
    const samples = Array.from({ length: POOL_SIZE * 2 }, () =>
      onDatabase<{ states: string[] }>(pooled, statement),
    );
    return (await Promise.all(samples)).flat().flatMap(({ states }) => states);
  }

  it('leaves no setting, statement or lock of requests and commands to other clients', async () => {
    const replicas = await atOnce(REPLICAS, () => Service.start(env));
    const caller = new Requester(await replicas[0]!.issueKey());
    for (let key = 0; key < KEYS; key += 1) {
      const replies = await atOnce(REQUESTS_A_KEY, (index) =>
        caller.createPet(replicas[index % REPLICAS]!.url, `race-${key}`),
      );
      expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    }
    expect(await server.query('select from pets')).toHaveLength(KEYS);
    expect(await stateLeftBehind()).toEqual([]);

    for (const command of ['seed --pets 500', 'keys list'])
      expect(await runCli(env, ...command.split(' '))).toMatchObject({ code: 0 });
    expect(await stateLeftBehind()).toEqual([]);
  });

  it('passes the HTTP suite', async () => {
    const servers = {
      TEST_DATABASE_URL: server.url,
      TEST_POOLER_URL: poolerUrl,
      TEST_REDIS_URL: redis.url,
    };
    await runSuite(servers, WITHOUT);
  });
});
