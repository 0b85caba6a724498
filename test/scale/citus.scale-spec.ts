import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { runCli } from '../support/command-line.js';
import { onDatabase, type TestDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { Service } from '../support/service.js';
import { orderOf, ordersOf, Store, type OrderShape, type PetShape } from '../support/store.js';
import { atOnce, until } from '../support/until.js';
import { expectAgreement, readSnapshot } from '../faults/support/database-snapshot.js';
import { FaultTraffic } from '../faults/support/fault-traffic.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { RedisServer } from '../faults/support/redis-server.js';
import { CitusCluster } from './support/citus.js';
import { runSuite } from './support/http-suite.js';
import { describeWhere } from './support/installed.js';

const PETS = 2_000;
const KEYS = 40;
const ORDERS_A_KEY = 5;
const REPLICAS = 3;
/** The highest ids ever assigned; a dump leaves the events out. */
const SEQUENCES = `
  select sequencename, last_value::text from pg_sequences
  where schemaname = 'public' and sequencename <> 'events_id_seq' order by sequencename`;
const TABLES = ['pets', 'orders', 'idempotency_keys', 'usage_days'];

/** The whole HTTP suite, one file after the other. */
const SUITE_TIMEOUT_MS = 1_800_000;

/** Tests of the embedded database, of the feed, and of plans, slots and migrations that a distributed database does not have. */
const WITHOUT = 'embedded|query plans of (lists|keys)|feed of events';

describeWhere(CitusCluster.isInstalled, 'Citus', 'a Citus coordinator with two workers', () => {
  let cluster: CitusCluster;
  let redis: RedisServer;

  beforeAll(async () => {
    cluster = await CitusCluster.start();
    redis = await RedisServer.start();
  });
  afterEach(() => Service.killAll());

  async function stores(count: number): Promise<Store[]> {
    const env = { ...cluster.env, EVENTS: 'false', REDIS_URL: redis.url };
    const replicas = await atOnce(REPLICAS, () => Service.start(env));
    const keys = await issueKeys(cluster, count);
    return keys.map(({ key, id }, index) => new Store(replicas[index % REPLICAS]!.url, key, id));
  }

  it('distributes tables with rows once, and leaves them unchanged if the file fails', async () => {
    await cluster.addWorkers();
    const [store] = await stores(1);
    await cluster.coordinator.query(
      `insert into pets (name, category_id, status)
        select 'filled ' || n, n % 7, case when n % 3 = 0 then 'sold' else 'available' end
        from generate_series(1, ${PETS}) n`,
    );
    for (const { id } of await store!.walk('limit=100&status=available&categoryId=1'))
      await store!.placed(id);
    const before = await readSnapshot(cluster.coordinator.database);
    const inventory = await store!.send({ path: '/v1/store/inventory' });
    await Service.killAll();

    const [, lost] = cluster.workers as [OwnPostgres, OwnPostgres];
    await lost.stop('crash');
    await expect(cluster.distribute()).rejects.toThrow(/psql/);
    await cluster.restart(lost);
    expect(await cluster.coordinator.query('select from citus_tables')).toEqual([]);
    expect(await readSnapshot(cluster.coordinator.database)).toEqual(before);

    await cluster.distribute();
    await expect(cluster.distribute()).rejects.toThrow('the tables are distributed already');
    expect(await readSnapshot(cluster.coordinator.database)).toEqual(before);
    const [again] = await stores(1);
    expect((await again!.send({ path: '/v1/store/inventory' })).text).toBe(inventory.text);
  });

  it('spreads rows over the workers with unique ids and ordered lists', async () => {
    const callers = await stores(KEYS);
    const results = await Promise.all(
      callers.map(async (store, caller) => {
        const pets: PetShape[] = [];
        const orders: OrderShape[] = [];
        for (let round = 0; round < ORDERS_A_KEY; round += 1) {
          const pet = await store.create(`pet ${caller} ${round}`, 1);
          // Simultaneous creations share a statement.
          expect(pet.name).toBe(`pet ${caller} ${round}`);
          pets.push(pet);
          const body = `{"petId":${pet.id}}`;
          const headers = { 'idempotency-key': String(round) };
          orders.push(orderOf(await store.send({ method: 'POST', path: '/v1/store/orders', body, headers })));
        }
        const own = ordersOf(await store.send({ path: `/v1/store/orders?limit=100&keyId=${store.id}` }));
        expect(own.map(({ id }) => id)).toEqual(ascending(orders.map(({ id }) => id)));
        return { pets, orders };
      }),
    );
    const created = results.flatMap(({ pets }) => pets.map(({ id }) => id));
    const ordered = results.flatMap(({ orders }) => orders.map(({ id }) => id));
    expect(new Set(created).size).toBe(KEYS * ORDERS_A_KEY);
    expect(new Set(ordered).size).toBe(KEYS * ORDERS_A_KEY);
    const snapshot = await readSnapshot(cluster.coordinator.database);
    expectAgreement(snapshot);
    const known = ascending(snapshot.pets.map(({ id }) => BigInt(id)));
    expect((await callers[0]!.walk('limit=100')).map(({ id }) => id)).toEqual(known);
    const counts: Record<string, bigint> = {};
    for (const { status } of snapshot.pets) counts[status] = (counts[status] ?? 0n) + 1n;
    const { body } = await callers[0]!.send({ path: '/v1/store/inventory' });
    expect(body).toEqual(counts);
    await until(async () => (await cluster.rowsByWorker('usage_days')).every((rows) => rows > 0));
    for (const table of TABLES) {
      const [one, other] = (await cluster.rowsByWorker(table)) as [number, number];
      expect(Math.min(one, other)).toBeGreaterThan(0);
    }
  });

  it('opens one session on a worker for a list that waits there', async () => {
    const [store] = await stores(1);
    const [worker] = cluster.workers as [OwnPostgres];
    const blocker = await worker.connect();
    const shards = await cluster.shardsOn(worker, 'pets');
    await blocker.query('set citus.enable_manual_changes_to_shards = on');
    await blocker.query(`begin; lock table ${shards.join()} in access exclusive mode`);
    let isAnswered = false;
    const list = store!.list('limit=1').finally(() => (isAnswered = true));
    let waiting = 0;
    await until(async () => {
      const sessions = await worker.query(`select from pg_stat_activity where wait_event_type = 'Lock'`);
      waiting = Math.max(waiting, sessions.length);
      return isAnswered;
    });
    expect((await list).status).toBe(503);
    expect(waiting).toBe(1);
    await blocker.end();
  });

  it('can be dumped, and restored into one server and into distributed tables', async () => {
    const single = await OwnPostgres.create();
    const file = join(temporaryFolder(), 'animals.sql');
    const { database } = cluster.coordinator;
    const exported = await readSnapshot(database);
    const sequences = await onDatabase(database, SEQUENCES);
    const url = ({ env }: TestDatabase) => env.DATABASE_MIGRATION_URL ?? env.DATABASE_URL!;
    const restore = (to: TestDatabase) => {
      const options = ['--quiet', '--single-transaction', '--set', 'ON_ERROR_STOP=1'];
      execFileSync('psql', [...options, '--file', file, '--command', 'truncate public.events', url(to)]);
    };
    const written = ['migrations', 'pet_counts', 'event*'].map((table) => `--exclude-table=${table}`);
    execFileSync('pg_dump', ['--data-only', '--schema=public', ...written, `--file=${file}`, url(database)]);
    expect(await runCli(single.database.env, 'keys', 'list')).toMatchObject({ code: 0 });
    restore(single.database);
    expect(await single.query('select from events')).toEqual([]);
    expect(await readSnapshot(single.database)).toEqual(exported);
    expect(await onDatabase(single.database, SEQUENCES)).toEqual(sequences);
    await single.stop('crash');

    const [schema] = await cluster.coordinator.query<{ tables: string; functions: string }>(
      `select (select string_agg(tablename, ', ') from pg_tables where schemaname = 'public') as tables,
        (select string_agg(oid::regprocedure::text, ', ') from pg_proc where pronamespace = 'public'::regnamespace)
          as functions`,
    );
    await cluster.coordinator.query(`drop table ${schema!.tables} cascade`);
    await cluster.coordinator.query(`drop function ${schema!.functions}`);
    expect(await runCli(cluster.env, 'keys', 'list')).toMatchObject({ code: 0 });
    await cluster.distribute();
    restore(database);
    expect(await readSnapshot(database)).toEqual(exported);
    expect(await onDatabase(database, SEQUENCES)).toEqual(sequences);
    for (const rows of await cluster.rowsByWorker('pets')) expect(rows).toBeGreaterThan(0);
  });

  it('serves the rows of the remaining worker and 503 for others until a lost worker returns', async () => {
    const service = await Service.start(cluster.env);
    // Each is on one of the workers by chance.
    const keys = await issueKeys(cluster, KEYS);
    const [lost, kept] = cluster.workers as [OwnPostgres, OwnPostgres];
    const owners = await Promise.all(keys.map(({ id }) => cluster.workerOf('orders', id)));
    const key = keys.find((_, index) => owners[index] === kept)!;
    const store = new Store(service.url, key.key);
    const pets = await atOnce(20, (n) => store.create(`kept ${n}`, 1));
    const holders = await Promise.all(pets.map(({ id }) => cluster.workerOf('pets', String(id))));
    const traffic = new FaultTraffic(key.key, [service]);
    await traffic.untilServed();

    await lost.stop('crash');
    await traffic.untilRefused(20);
    const served = traffic.served;
    for (const [index, { id }] of pets.entries()) {
      const { status, headers } = await store.send({ path: `/v1/pets/${String(id)}` });
      const isLost = holders[index] === lost;
      expect({ id, status }).toEqual({ id, status: isLost ? 503 : 200 });
      if (isLost) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect((await store.list('limit=1')).status).toBe(503);
    const onKept = pets.filter((_, index) => holders[index] === kept);
    expect((await store.order(onKept[0]!.id)).status).toBe(201);
    expect((await store.send({ path: `/v1/store/orders?keyId=${key.id}` })).status).toBe(200);
    expect((await service.call({ path: '/health/ready' })).status).toBe(200);
    await traffic.until(() => traffic.served > served);

    await cluster.restart(lost);
    await traffic.recovered(performance.now());
    expect(service.logged('a worker of the database is away')).toHaveLength(1);
    // Completes what the failure interrupted between the two phases of a commit, which Citus does by itself once a minute.
    await cluster.coordinator.query('select recover_prepared_transactions()');
    await traffic.expectNothingLost(cluster.coordinator.database);
    expectAgreement(await readSnapshot(cluster.coordinator.database));
    expect(holders.filter((holder) => holder === lost).length).toBeGreaterThan(0);
  });

  it(
    'passes the HTTP suite',
    async () => {
      const servers = {
        TEST_DATABASE_URL: cluster.env.DATABASE_URL,
        TEST_CITUS_WORKERS: cluster.workers.map(({ url }) => url).join(),
        TEST_REDIS_URL: redis.url,
      };
      // One file at a time: the servers need the cores, and a statement that waits for a core for a second is refused.
      await runSuite(servers, WITHOUT, '--maxWorkers=1');
    },
    SUITE_TIMEOUT_MS,
  );
});

const ascending = (ids: readonly bigint[]): bigint[] => ids.toSorted((one, other) => (one < other ? -1 : 1));
