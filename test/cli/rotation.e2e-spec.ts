import { describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { printed, refused, runCommands, type CommandResult, type Key } from '../support/command-line.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { Store } from '../support/store.js';
import { until, untilDayHasRoom } from '../support/until.js';

/** The contract's limit for a change of a key to take effect, and the time of one request. */
const EFFECTIVE_WITHIN_MS = 1_200;

describe.each(databaseKinds)('the keys command on $name', (kind) => {
  const service = sharedService(kind);

  const works = async (key: unknown) =>
    (await call(service.url, { path: '/v1/rate-limit', key: String(key) })).status === 200;
  const rotate = async (id: unknown, ...options: string[]): Promise<Key> =>
    printed(await service.keys('rotate', String(id), ...options, '--json'));
  /** Resolves once the secret no longer works. Returns the time until then. */
  async function endOf(key: unknown): Promise<number> {
    const begun = performance.now();
    await until(async () => !(await works(key)));
    return performance.now() - begun;
  }

  async function oldSecretEnd(id: string): Promise<number> {
    const select = `select old_secret_ends_at as at from api_keys where id = '${id}'`;
    const [row] = await onDatabase<{ at: Date }>(service, select);
    return row!.at.getTime();
  }

  it('rotates the secret of a key, and the old one works during the overlap', async () => {
    const issued = await service.issue();
    const { prefix: oldPrefix, ...before } = printed(await service.keys('show', issued.id, '--json'));
    const store = new Store(service.url, issued.key);
    const order = await store.placed((await store.create('Rex', 1)).id);
    await untilDayHasRoom();
    const used = await call(service.url, { path: '/v1/rate-limit', key: issued.key });
    const rotated = await rotate(issued.id, '--overlap', '1h');
    const { key, prefix, ...after } = rotated;
    expect(after).toEqual({ ...before, lastUsedAt: after.lastUsedAt });
    expect(prefix).not.toBe(oldPrefix);
    expect(key).toMatch(/^ask_[0-9A-Za-z]{49}$/);
    expect(key).not.toBe(issued.key);
    expect(String(key).startsWith(String(prefix))).toBe(true);
    for (const secret of [issued.key, key]) {
      const own = new Store(service.url, String(secret));
      expect((await own.send({ path: `/v1/store/orders/${order.id}` })).status).toBe(200);
    }
    // One key, one set of counters.
    const now = await call(service.url, { path: '/v1/rate-limit', key: String(key) });
    const dayLeft = (body: unknown) => (body as { windows: { remaining: bigint }[] }).windows[1]!.remaining;
    expect(dayLeft(now.body)).toBe(dayLeft(used.body) - 2n);
  });

  it('uses an overlap of 24 hours by default', async () => {
    const issued = await service.issue();
    const before = Date.now();
    await rotate(issued.id);
    const endsAtMs = await oldSecretEnd(issued.id);
    expect(endsAtMs).toBeGreaterThanOrEqual(before + 86_400_000);
    expect(endsAtMs).toBeLessThanOrEqual(Date.now() + 86_400_000);
  });

  it('ends the old secret after the overlap', async () => {
    const issued = await service.issue();
    await works(issued.key);
    const { key } = await rotate(issued.id, '--overlap', '5s');
    expect(await works(issued.key)).toBe(true);
    const endsAtMs = await oldSecretEnd(issued.id);
    await endOf(issued.key);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs);
    expect(Date.now()).toBeLessThan(endsAtMs + 1_000);
    expect(await works(key)).toBe(true);
  });

  it('ends the oldest secret on a second rotation, and all on revocation', async () => {
    const issued = await service.issue();
    const second = await rotate(issued.id, '--overlap', '1h');
    expect(await works(issued.key)).toBe(true);
    const third = await rotate(issued.id, '--overlap', '1h');
    expect(await endOf(issued.key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
    expect(await works(second.key)).toBe(true);
    expect(await works(third.key)).toBe(true);
    await service.keys('revoke', issued.id);
    expect(await endOf(second.key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
    expect(await endOf(third.key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
  });

  it('ends the old secret at once without an overlap', async () => {
    const issued = await service.issue();
    await works(issued.key);
    const { key } = await rotate(issued.id, '--overlap', '0s');
    expect(await endOf(issued.key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
    expect(await works(key)).toBe(true);
  });

  it('refuses to rotate a revoked, expired or unknown key', async () => {
    const { id: revoked } = await service.issue({ revoked: true });
    const { id: expired } = await service.issue({ expiresInMs: 1 });
    const results = await runCommands(
      service.env,
      [revoked, expired, '00000000-0000-4000-8000-000000000000', 'abc'].map((id) => ['keys', 'rotate', id]),
    );
    const reasons = results.map((result) => /revoked|expired|no key/.exec(refused(result))?.[0]);
    expect(reasons).toEqual(['revoked', 'expired', 'no key', 'no key']);
  });

  it('refuses an invalid overlap', async () => {
    const { id } = await service.issue();
    const overlaps = ['1', '1x', '-1h', '1.5h', '', '1 h', '99999999999d'];
    const results = await runCommands(
      service.env,
      overlaps.map((overlap) => ['keys', 'rotate', id, `--overlap=${overlap}`]),
    );
    expect(results).toHaveLength(overlaps.length);
    for (const result of results) expect(refused(result)).toContain('overlap');
  });

  it('shows the last use to the minute', async () => {
    const issued = await service.issue();
    const before = Date.now();
    await works(issued.key);
    const after = Date.now();
    const shown = async () => {
      const { lastUsedAt } = printed(await service.keys('show', issued.id, '--json'));
      return typeof lastUsedAt === 'string' ? Date.parse(lastUsedAt) : undefined;
    };
    const lastUsedAt = await until(shown);
    expect(lastUsedAt % 60_000).toBe(0);
    expect(lastUsedAt).toBeGreaterThan(before - 60_000);
    expect(lastUsedAt).toBeLessThanOrEqual(after);
  });

  it('shows the events of a key, except with --json', async () => {
    const create = ['create', '--name', 'test', '--plan', 'free', '--json'];
    const issued = printed(await service.keys(...create));
    const id = String(issued.id);
    const results = await runCommands(
      service.env,
      [
        ['set-plan', id, 'enterprise', '--per-minute', '5', '--per-day', '50'],
        ['rotate', id, '--overlap', '1h'],
        ['unban', id],
        ['revoke', id],
        ['show', id],
        ['show', id, '--json'],
      ].map((command) => ['keys', ...command]),
    );
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const [{ stdout }, forPrograms] = results.slice(-2) as [CommandResult, CommandResult];
    const lines = stdout
      .split('\n')
      .filter((line) => / UTC +│ (created|plan-|rotated|unbanned|revoked)/.test(line));
    const events = lines.map((line) =>
      line
        .split('│')
        .slice(2, 4)
        .map((cell) => cell.trim()),
    );
    expect(events).toEqual([
      ['created', 'free'],
      ['plan-changed', 'enterprise, 5 a minute, 50 a day'],
      ['rotated', expect.stringMatching(/^the secret before works until \S+$/)],
      ['unbanned', ''],
      ['revoked', ''],
    ]);
    expect(Object.keys(printed(forPrograms))).toEqual(Object.keys(issued).filter((field) => field !== 'key'));
  });
});
