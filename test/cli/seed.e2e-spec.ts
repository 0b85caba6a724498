import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command-line.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

// input.e2e-spec.ts has the refused input.
describe('the seed command', () => {
  const service = sharedService(anyKind);
  const store = storeOf(service);

  /** Adds animals, and returns them and the summary. */
  async function seed(options: string) {
    const { stdout } = await runCommand(service.env, 'seed', ...options.split(' '), '--json');
    const summary = JSON.parse(stdout) as Record<string, unknown>;
    const { firstId, lastId } = summary as { firstId: number; lastId: number };
    const animals = await onDatabase<{ name: string; category: string; status: string }>(
      service,
      `select name, category_id::text as category, status from pets where id between $1 and $2 order by id`,
      [firstId, lastId],
    );
    return { summary, animals };
  }

  it('adds animals with ids from the sequence while a service runs', async () => {
    const { id } = await store.create('the first', 1);
    const { summary, animals } = await seed('--pets 5000 --seed 11');
    const ids = { firstId: Number(id) + 1, lastId: Number(id) + 5000 };
    expect(summary).toEqual({ pets: 5000, seed: 11, ...ids, seconds: expect.any(Number) });
    expect((await store.create('the last', 1)).id).toBe(id + 5001n);
    expect(animals).toHaveLength(5000);
    const shareOf = (status: string) => animals.filter((each) => each.status === status).length;
    // Realistic shares: most animals are sold, some are available, few are pending.
    expect(shareOf('sold')).toBeGreaterThan(shareOf('available'));
    expect(shareOf('available')).toBeGreaterThan(shareOf('pending'));
    expect(shareOf('pending')).toBeGreaterThan(0);
    const categories = Object.values(Object.groupBy(animals, ({ category }) => category));
    expect(Math.max(...categories.map((each) => each!.length))).toBeLessThan(2500);
  });

  it('generates the same animals from the same --seed, and others without one', async () => {
    const { animals: one } = await seed('--pets 1500 --seed 4294967295');
    expect(one).toHaveLength(1500);
    expect((await seed('--pets 1500 --seed 4294967295')).animals).toEqual(one);
    expect((await seed('--pets 1500')).animals).not.toEqual(one);
  });

  it('reports progress on stderr and a summary on stdout', async () => {
    const { code, stdout, stderr } = await runCommand(service.env, 'seed', '--pets', '2000', '--seed', '0');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^using the [^\n]+\nadding pets 1,000 of 2,000 \(50%\)\nadding pets 2,000 of 2,000 \(100%\)\n$/,
    );
    expect(stdout).toMatch(/^added 2,000 pets with the ids \d+ to \d+ in [\d.]+ s \(--seed 0\)\n$/);
  });
});
