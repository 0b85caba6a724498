import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { QueryConfig } from 'pg';
import { Column, DataSource, Entity, PrimaryColumn, type Repository } from 'typeorm';
import type { DatabaseDriver } from './connections/database-driver.js';
import { Database } from './database.js';

@Entity('things')
class ThingEntity {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text' })
  name!: string;
}

/** Answers every statement, and notes it with its connection. */
class FakeClient extends EventEmitter {
  constructor(private readonly pool: FakePool) {
    super();
  }

  query(statement: string | QueryConfig) {
    const text = typeof statement === 'string' ? statement : (statement.name ?? '');
    const [verb = ''] = text.split(' ');
    this.pool.log.push(`${this.pool.clients.indexOf(this)} ${verb}`);
    if (text.includes(this.pool.failing)) return Promise.reject(new Error('refused'));
    const row = { version: 'PostgreSQL 18.0', current_database: 'any', current_schema: 'public' };
    return Promise.resolve({ rows: [row], rowCount: 1, command: verb });
  }

  release(): void {
    this.pool.free.push(this);
  }

  end(): Promise<void> {
    this.pool.log.push(`${this.pool.clients.indexOf(this)} ended`);
    return Promise.resolve();
  }
}

/** Opens a connection whenever none is free. */
class FakePool extends EventEmitter {
  readonly clients: FakeClient[] = [];
  readonly free: FakeClient[] = [];
  log: string[] = [];
  /** A piece of the statements that fail. */
  failing = 'no statement';

  connect(callback: (error: undefined, client: FakeClient, release: () => void) => void): void {
    const client = this.take();
    callback(undefined, client, () => client.release());
  }

  take(): FakeClient {
    const client = this.free.pop() ?? new FakeClient(this);
    if (!this.clients.includes(client)) this.clients.push(client);
    return client;
  }

  read(statement: QueryConfig) {
    this.log.push(`shared ${statement.name}`);
    return Promise.resolve({ rows: [] });
  }

  async run(statement: QueryConfig) {
    const client = this.take();
    return client.query(statement).finally(() => client.release());
  }
}

describe('the database', () => {
  let dataSource: DataSource;
  let database: Database;
  let pool: FakePool;
  let things: Repository<ThingEntity>;

  beforeEach(async () => {
    pool = new FakePool();
    const Pool = function () {
      return pool;
    };
    dataSource = new DataSource({
      type: 'postgres',
      driver: { Pool },
      entities: [ThingEntity],
      installExtensions: false,
      logging: false,
    });
    const driver = { pool } as unknown as DatabaseDriver;
    database = new Database(dataSource, driver);
    await dataSource.initialize();
    // As @nestjs/typeorm injects it.
    things = dataSource.getRepository(ThingEntity);
    pool.log = [];
  });

  const named = (name: string, text = 'update things set name = name') => database.query({ name, text }, []);

  it('runs a statement of a repository by itself', async () => {
    await things.find({ where: { id: 1 } });
    await things.update({ id: 1 }, { name: 'a' });
    expect(pool.log).toEqual(['0 SELECT', '0 UPDATE']);
    expect(pool.free).toHaveLength(pool.clients.length);
  });

  it.each([
    ['transaction', (work: () => Promise<unknown>) => database.transaction(work)],
    ["TypeORM's transaction", (work: () => Promise<unknown>) => dataSource.transaction(work)],
    [
      'a nested one',
      (work: () => Promise<unknown>) => database.transaction(() => database.transaction(work)),
    ],
    [
      "TypeORM's within",
      (work: () => Promise<unknown>) => database.transaction(() => things.manager.transaction(work)),
    ],
  ])('runs every kind of statement within %s on one connection', async (_name, transaction) => {
    const work = async () => {
      expect(database.isInTransaction).toBe(true);
      await things.find();
      await named('change');
      await named('read', 'select 1');
      await things.findOne({ where: { id: 1 }, lock: { mode: 'pessimistic_write' } });
      await things.save({ id: 1, name: 'a' });
    };
    await transaction(work);
    const saved = ['0 SELECT', '0 INSERT'];
    // A statement that does not join takes the connection 1.
    expect(pool.log).toEqual([
      ...['0 START', '0 SELECT', '0 change', '0 read', '0 SELECT'],
      ...saved,
      '0 COMMIT',
    ]);
    expect(database.isInTransaction).toBe(false);
  });

  it('gives simultaneous transactions connections of their own', async () => {
    await Promise.all([1, 2].map(() => database.transaction(() => things.find())));
    const of = (client: number) => pool.log.filter((entry) => entry.startsWith(`${client} `));
    expect([of(0), of(1)]).toEqual([
      ['0 START', '0 SELECT', '0 COMMIT'],
      ['1 START', '1 SELECT', '1 COMMIT'],
    ]);
  });

  it('undoes all of it when the work throws', async () => {
    const failing = database.transaction(async () => {
      await things.find();
      throw new Error('a rule');
    });
    await expect(failing).rejects.toThrow('a rule');
    expect(pool.log).toEqual(['0 START', '0 SELECT', '0 ROLLBACK']);
    expect(pool.free).toHaveLength(pool.clients.length);
  });

  it('ends a connection that cannot be rolled back', async () => {
    pool.failing = 'ROLLBACK';
    await expect(database.transaction(() => Promise.reject(new Error('a rule')))).rejects.toThrow('a rule');
    expect(pool.log.at(-1)).toBe('0 ended');
  });

  it('runs no statement of work that outlives its transaction', async () => {
    const over = Promise.withResolvers<unknown>();
    let late: Promise<unknown>[] = [];
    await database.transaction(() => {
      late = [over.promise.then(() => named('late')), over.promise.then(() => things.find())];
      return Promise.resolve();
    });
    pool.log = [];
    over.resolve(undefined);
    const outcomes = await Promise.allSettled(late);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(pool.log).toEqual([]);
  });

  it.each([
    'select id from things',
    '  SELECT a for_update from things',
    'select case when pg_is_in_recovery() then 1 end',
  ])('shares a connection for "%s"', async (text) => {
    await named('one', text);
    expect(pool.log).toEqual(['shared one']);
  });

  it.each([
    'select id from things for update',
    'select id from things limit 1 for no key update skip locked',
    'select id from things for key share',
    'select pg_try_advisory_xact_lock($1)',
    "select nextval('things_id_seq')",
    'with gone as (delete from things returning id) select id from gone',
    'insert into things (id) select 1',
  ])('shares no connection for "%s"', async (text) => {
    await named('one', text);
    expect(pool.log).toEqual(['0 one']);
  });
});
