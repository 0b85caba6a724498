import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refused, runCli, runCommand, runCommands } from '../support/command-line.js';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';
import { Store } from '../support/store.js';

interface SeedSummary {
  pets: number;
  seed: number;
  firstId: number;
  lastId: number;
  seconds: number;
}

describe.each(databaseKinds)('the seed command on $name', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let store: Store;

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start(database.env);
    store = new Store(service.url, await service.issueKey());
  });
  afterAll(cleanUp);

  const seed = (...args: string[]) => runCommand(database.env, 'seed', ...args);
  const seeded = async (...args: string[]) => {
    const { code, stdout } = await seed(...args, '--json');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    return JSON.parse(stdout) as SeedSummary;
  };
  const inventory = async () =>
    (await store.send({ path: '/v1/store/inventory' })).body as unknown as Record<string, bigint>;

  it('adds animals with ids from the sequence while a service runs', async () => {
    const { id } = await store.create('the first', 1, 'available');
    const summary = await seeded('--pets', '5000', '--seed', '11');
    expect(summary).toEqual({
      pets: 5000,
      seed: 11,
      firstId: Number(id) + 1,
      lastId: Number(id) + 5000,
      seconds: expect.any(Number),
    });
    expect((await store.create('the last', 1, 'available')).id).toBe(id + 5002n - 1n);
    const { available, pending, sold } = await inventory();
    expect(available! + pending! + sold!).toBe(5002n);
    // Realistic shares: most animals are sold, some are available, few are pending.
    expect(sold!).toBeGreaterThan(available!);
    expect(available!).toBeGreaterThan(pending!);
    expect(pending!).toBeGreaterThan(0n);
    const names = await onDatabase<{ most: string }>(
      database,
      'select count(*) as most from pets group by category_id order by 1 desc limit 1',
    );
    expect(Number(names[0]!.most)).toBeLessThan(2500);
  });

  it('generates the same animals from the same --seed, and others without one', async () => {
    const animals = async ({ firstId, lastId }: SeedSummary) =>
      onDatabase(
        database,
        `select name, category_id::text, status from pets where id between ${firstId} and ${lastId} order by id`,
      );
    const one = await animals(await seeded('--pets', '1500', '--seed', '4294967295'));
    const two = await animals(await seeded('--pets', '1500', '--seed', '4294967295'));
    const three = await animals(await seeded('--pets', '1500'));
    expect(one).toHaveLength(1500);
    expect(two).toEqual(one);
    expect(three).not.toEqual(one);
  });

  it('reports progress on stderr and a summary on stdout', async () => {
    const { code, stdout, stderr } = await runCli(database.env, 'seed', '--pets', '2000', '--seed', '0');
    expect(code).toBe(0);
    expect(stderr).toBe('adding pets 1,000 of 2,000 (50%)\nadding pets 2,000 of 2,000 (100%)\n');
    expect(stdout).toMatch(/^added 2,000 pets with the ids \d+ to \d+ in [\d.]+ s \(--seed 0\)\n$/);
  });

  it('refuses invalid input in one line, and adds nothing', async () => {
    const before = await inventory();
    const bad = ['0', '-1', '1.5', '1e3', '', 'many', '10000001', '9'.repeat(30)];
    const cases = [
      [],
      ['--pets'],
      ...bad.map((pets) => [`--pets=${pets}`]),
      ...['-1', '4294967296', 'x', ''].map((number) => ['--pets', '1', `--seed=${number}`]),
      ['--pets', '1', 'something more'],
      ['--pets', '1', '--unheard-of'],
    ];
    const results = await runCommands(
      database.env,
      cases.map((args) => ['seed', ...args]),
    );
    for (const result of results) refused(result);
    expect(results).toHaveLength(cases.length);
    expect(await inventory()).toEqual(before);
  });
});
