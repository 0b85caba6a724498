import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { generateApiKey, hashApiKey } from '../api-key-format.js';
import { BackgroundTasks } from '../../../platform/common/background-tasks.js';
import type { CallerColumns } from '../api-key.js';
import type { ApiKeysRepository, RecentKeyEvent, SecretHashes } from '../api-keys.repository.js';
import { IssuedKeys } from './issued-keys.js';
import { KeyLookup } from './key-lookup.js';
import { LastUse } from './last-use.js';

Logger.overrideLogger(false);

const ADDRESS = '192.0.2.1';

/** A table of keys. Its statements end at once or, while `isSlow` is set, when the test ends them. */
class Table {
  readonly rows = new Map<string, CallerColumns>();
  /** The secrets of each statement. */
  readonly statements: number[] = [];
  readonly unfinished: (() => void)[] = [];
  readonly events: RecentKeyEvent[] = [];
  isSlow = false;
  isAway = false;

  issue(): string {
    const secret = generateApiKey();
    const columns = { id: `id ${this.rows.size}`, plan: 'free' };
    this.rows.set(hashApiKey(secret).toString('hex'), columns as CallerColumns);
    return secret;
  }

  findCallers = async (hashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> => {
    this.statements.push(hashes.length);
    if (this.isAway) throw new Error('away');
    if (this.isSlow) await new Promise<void>((resolve) => this.unfinished.push(resolve));
    return hashes.map((hash) => this.rows.get(hash.toString('hex')));
  };

  recentEvents = (): Promise<RecentKeyEvent[]> => Promise.resolve(this.events);

  finish(): void {
    this.unfinished.splice(0).forEach((resolve) => resolve());
  }

  async *secretHashes(): AsyncGenerator<SecretHashes[]> {
    const all = [...this.rows].map(([hex, { id }]) => ({
      id,
      secretHash: Buffer.from(hex, 'hex'),
      oldSecretHash: null,
    }));
    yield await Promise.resolve(all);
  }
}

// A look-up that waits for a slot has a deadline, which a busy machine must not reach.
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setup() {
  const table = new Table();
  const clock = { atMs: 0, nowMs: () => 0, monotonicMs: () => clock.atMs };
  const repository = table as unknown as ApiKeysRepository;
  const tasks = new BackgroundTasks();
  const issuedKeys = new IssuedKeys(tasks, repository, clock);
  const lookup = new KeyLookup(tasks, issuedKeys, new LastUse(tasks, repository), repository, clock);
  const change = (keyId: string, secretHash: Buffer | null = null) => {
    table.events.push({ id: BigInt(table.events.length), keyId, kind: 'rotated', secretHash });
    return lookup.readChanges();
  };
  const find = async (secret: string, address = ADDRESS) => lookup.find(secret, () => address);
  return { table, clock, issuedKeys, lookup, find, change };
}

describe.each([
  ['an issued secret', (table: Table) => table.issue(), { id: 'id 0' }],
  ['an unknown secret', () => generateApiKey(), undefined],
])('the look-up of %s', (_, secretIn, key) => {
  it('happens once for all waiting requests, and is trusted for 5 seconds from its start', async () => {
    const { table, clock, find } = setup();
    const secret = secretIn(table);
    table.isSlow = true;
    const finding = [find(secret), find(secret), find(secret)];
    await turn();
    clock.atMs = 3_900;
    table.finish();
    const found = await Promise.all(finding);
    expect(found).toEqual(Array.from(found, () => (key ? expect.objectContaining(key) : undefined)));
    expect(await find(secret)).toBe(found[0]);
    expect(table.statements).toEqual([1]);
    table.isSlow = false;
    clock.atMs = 5_000;
    expect(await find(secret)).toEqual(found[0]);
    expect(table.statements).toEqual([1, 1]);
  });
});

describe('a look-up of keys', () => {
  it('renews a key in use before it expires in the cache, without a waiting request', async () => {
    const { table, clock, find } = setup();
    const secret = table.issue();
    await find(secret);
    clock.atMs = 4_500;
    table.isSlow = true;
    expect(await find(secret)).toMatchObject({ id: 'id 0' });
    await turn();
    expect(table.statements).toEqual([1, 1]);
    table.finish();
    await turn();
    clock.atMs = 9_000;
    expect(await find(secret)).toMatchObject({ id: 'id 0' });
    expect(table.statements).toHaveLength(2);
  });
});

describe('what was looked up', () => {
  it('is dropped after a change of the key, and of no other', async () => {
    const { table, lookup, find, change } = setup();
    const secret = table.issue();
    await find(secret);
    await change('another');
    await find(secret);
    expect(table.statements).toEqual([1]);
    await change('id 0');
    await find(secret);
    // The same event is read again.
    await lookup.readChanges();
    await find(secret);
    expect(table.statements).toEqual([1, 1]);
  });

  it('is not kept, or given to a later request, if a change came meanwhile', async () => {
    const { table, find, change } = setup();
    const secret = table.issue();
    table.isSlow = true;
    const before = find(secret);
    await turn();
    await change('id 0');
    const after = find(secret);
    await turn();
    expect(table.statements).toEqual([1, 1]);
    table.unfinished.shift()?.();
    expect(await before).toMatchObject({ id: 'id 0' });
    // Joins the second look-up.
    const joining = find(secret);
    table.finish();
    expect(await joining).toBe(await after);
    await find(secret);
    expect(table.statements).toEqual([1, 1]);
  });

  it('is not kept if it failed', async () => {
    const { table, find } = setup();
    const secret = table.issue();
    table.isAway = true;
    await expect(find(secret)).rejects.toThrow('away');
    table.isAway = false;
    expect(await find(secret)).toMatchObject({ id: 'id 0' });
  });

  it('is bounded to 100,000 secrets', async () => {
    const { table, find } = setup();
    const secret = table.issue();
    await find(secret);
    for (let round = 0; round < 100; round += 1)
      await Promise.all(Array.from({ length: 1_000 }, (_, at) => find(`unknown ${round} ${at}`)));
    const { length } = table.statements;
    await find(secret);
    expect(table.statements).toHaveLength(length + 1);
  });
});

describe('guessed keys', () => {
  it('cause no look-up for an exhausted address until its window ends', async () => {
    const { table, clock, issuedKeys, lookup, find } = setup();
    await issuedKeys.load();
    lookup.noteExhausted(ADDRESS, 30_000);
    const guesses = await Promise.all(Array.from({ length: 2_000 }, () => find(generateApiKey())));
    expect(new Set(guesses)).toEqual(new Set([undefined]));
    expect(table.statements).toEqual([]);
    await find(generateApiKey(), '192.0.2.2');
    expect(table.statements).toHaveLength(1);
    clock.atMs = 30_000;
    await find(generateApiKey());
    expect(table.statements).toHaveLength(2);
  });

  it('do not affect an issued key from an exhausted address', async () => {
    const { table, issuedKeys, lookup, find, change } = setup();
    const [early, loaded] = [table.issue(), table.issue()];
    lookup.noteExhausted(ADDRESS, 30_000);
    // Before the issued keys are loaded, every secret may be one of them.
    expect(await find(early)).toMatchObject({ id: 'id 0' });
    await issuedKeys.load();
    const issuedSince = table.issue();
    expect(await find(loaded)).toMatchObject({ id: 'id 1' });
    await change('id 2', hashApiKey(issuedSince));
    expect(await find(issuedSince)).toMatchObject({ id: 'id 2' });
  });

  it('do not delay issued keys when the database is slow', async () => {
    const { table, issuedKeys, find } = setup();
    const secret = table.issue();
    await issuedKeys.load();
    table.isSlow = true;
    const guesses = Array.from({ length: 500 }, () => find(generateApiKey()));
    await turn();
    expect(table.statements).toHaveLength(1);
    const issued = find(secret);
    await turn();
    expect(table.statements.at(-1)).toBe(1);
    table.unfinished.pop()?.();
    expect(await issued).toMatchObject({ id: 'id 0' });
    table.isSlow = false;
    table.finish();
    await Promise.all(guesses);
    expect(table.statements.length).toBeLessThan(10);
  });

  it.each([
    ['is away, when it answers nothing', 0, 150, 'DatabaseUnavailableError'],
    ['is overloaded, when it answers', 1, 50, 'ApiError'],
  ])('are refused after a wait of 1 s; the database %s', async (_what, answers, refused, error) => {
    const { table, issuedKeys, find } = setup();
    await issuedKeys.load();
    table.isSlow = true;
    const outcomeOf = (guess: Promise<unknown>) =>
      guess.then(
        () => 'unknown',
        (reason: unknown) => (reason as Error).constructor.name,
      );
    const first = outcomeOf(find(generateApiKey()));
    await turn();
    // A batch of 100 and one of 50.
    const others = Array.from({ length: 150 }, () => outcomeOf(find(generateApiKey())));
    await turn();
    table.unfinished.splice(0, answers).forEach((resolve) => resolve());
    await turn();
    jest.advanceTimersByTime(1_000);
    await turn();
    table.isSlow = false;
    table.finish();
    expect(await first).toBe('unknown');
    const outcomes = await Promise.all(others);
    expect(outcomes.filter((outcome) => outcome !== 'unknown')).toEqual(Array<string>(refused).fill(error));
  });
});

it('IssuedKeys includes every issued key, and hardly any other', async () => {
  const { table, issuedKeys } = setup();
  const secrets = Array.from({ length: 1_500 }, () => table.issue());
  await issuedKeys.load();
  expect(secrets.every((secret) => issuedKeys.mayInclude(hashApiKey(secret)))).toBe(true);
  const others = Array.from({ length: 1_500 }, () => hashApiKey(generateApiKey()));
  expect(others.filter((hash) => issuedKeys.mayInclude(hash))).toEqual([]);
});
