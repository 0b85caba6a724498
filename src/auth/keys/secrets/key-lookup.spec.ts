import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError } from '../../../platform/common/errors/database-errors.js';
import { generateApiKey, hashApiKey } from './api-key-format.js';
import type { CallerColumns } from '../../caller-key.js';
import { KeyLookup } from './key-lookup.js';
import type { KeySecretsRepository } from './key-secrets.repository.js';

Logger.overrideLogger(false);

const NOW_MS = Date.UTC(2026, 10, 20);

/** The table of keys. Its statements answer at once, or when the test ends them. */
class Table {
  /** The number of secrets in each statement. */
  readonly statements: number[] = [];
  readonly unfinished: (() => void)[] = [];
  isAway = false;
  isSlow = false;
  private readonly keys = new Map<string, CallerColumns>();

  issue(changes: Partial<CallerColumns> = {}): string {
    const secret = generateApiKey();
    const limits = { plan: 'free', perMinute: null, perDay: null };
    this.keys.set(hashApiKey(secret).toString('hex'), {
      id: `key ${this.keys.size}`,
      ...limits,
      expiresAt: null,
      secretEndsAt: null,
      ...changes,
    } as CallerColumns);
    return secret;
  }

  revoke(secret: string): void {
    this.keys.delete(hashApiKey(secret).toString('hex'));
  }

  findCallers = async (hashes: readonly Buffer[]): Promise<(CallerColumns | undefined)[]> => {
    this.statements.push(hashes.length);
    if (this.isSlow) await new Promise<void>((resolve) => this.unfinished.push(resolve));
    if (this.isAway) throw new DatabaseUnavailableError();
    return hashes.map((hash) => this.keys.get(hash.toString('hex')));
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the look-up of keys', () => {
  let table: Table;
  let lookup: KeyLookup;
  const clock = { atMs: 0, todayMs: NOW_MS, nowMs: () => clock.todayMs, monotonicMs: () => clock.atMs };

  beforeEach(() => {
    Object.assign(clock, { atMs: 1, todayMs: NOW_MS });
    table = new Table();
    lookup = new KeyLookup(table as unknown as KeySecretsRepository, clock);
  });

  it.each([
    ['an issued key', () => table.issue()],
    ['an unknown key', () => generateApiKey()],
  ])('happens once for all requests with %s, and again after 800 ms', async (_what, secretOf) => {
    const secret = secretOf();
    const results = await Promise.all([1, 2, 3].map(async () => lookup.identify(secret)));
    expect(new Set(results).size).toBe(1);
    clock.atMs += 800;
    await lookup.identify(secret);
    expect(table.statements).toEqual([1]);
    clock.atMs += 1;
    await lookup.identify(secret);
    expect(table.statements).toEqual([1, 1]);
  });

  it('is kept for at most 40,000 secrets', async () => {
    const [first, second, ...others] = Array.from({ length: 40_000 }, generateApiKey) as [string, string];
    const isHeld = async (secret: string) => {
      const before = table.statements.length;
      await lookup.identify(secret);
      return table.statements.length === before;
    };
    expect(await isHeld(first)).toBe(false);
    expect(await isHeld(second)).toBe(false);
    await Promise.all(others.map(async (other) => lookup.identify(other)));
    // From here on the second is the one that was used longest ago.
    expect(await isHeld(first)).toBe(true);
    await lookup.identify(generateApiKey());
    expect(await isHeld(second)).toBe(false);
  });

  it('of a malformed key does not happen', async () => {
    for (const text of ['', 'nonsense', `${generateApiKey()}x`])
      expect(await lookup.identify(text)).toBeUndefined();
    expect(table.statements).toEqual([]);
  });

  it('notices a revocation and a new key after 800 ms from its start, however long it took', async () => {
    table.isSlow = true;
    const [revoked, unknown] = [table.issue(), generateApiKey()];
    const first = [revoked, unknown].map(async (secret) => lookup.identify(secret));
    await turn();
    clock.atMs += 700;
    table.isSlow = false;
    table.unfinished.forEach((finish) => finish());
    expect(await Promise.all(first)).toEqual([expect.objectContaining({ id: 'key 0' }), undefined]);
    table.revoke(revoked);
    clock.atMs += 101;
    expect(await lookup.identify(revoked)).toBeUndefined();
  });

  it('that fails is not kept, and no key is trusted for longer without a database', async () => {
    const secret = table.issue();
    await lookup.identify(secret);
    table.isAway = true;
    expect(await lookup.identify(secret)).toBeDefined();
    clock.atMs += 801;
    await expect(lookup.identify(secret)).rejects.toThrow(DatabaseUnavailableError);
    table.isAway = false;
    expect(await lookup.identify(secret)).toMatchObject({ id: 'key 0' });
  });

  it('shares statements, up to 100 keys each', async () => {
    await Promise.all(Array.from({ length: 350 }, async () => lookup.identify(generateApiKey())));
    expect(table.statements).toEqual([100, 100, 100, 50]);
  });

  it('refuses a key from the moment at which it expires, also while it is kept', async () => {
    const secret = table.issue({ expiresAt: new Date(NOW_MS + 1) });
    expect(await lookup.identify(secret)).toBeDefined();
    clock.todayMs += 1;
    expect(await lookup.identify(secret)).toBeUndefined();
    expect(table.statements).toEqual([1]);
  });
});
