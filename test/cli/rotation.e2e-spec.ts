import { describe, expect, it } from '@jest/globals';
import { printed, runCommands, type Key } from '../support/command-line.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { Store, storeOf } from '../support/store.js';
import { until, untilDayHasRoom } from '../support/until.js';

/** The contract's limit for a change of a key to take effect, and the time of one request. */
const EFFECTIVE_WITHIN_MS = 1_200;

describe('a key', () => {
  const service = sharedService(anyKind);
  const admin = storeOf(service, { access: 'admin' });

  const limits = (key: unknown) => service.call({ path: '/v1/rate-limit', key: String(key) });
  const works = async (key: unknown) =>
    (await service.call({ path: '/v1/pets', key: String(key) })).status === 200;
  const shown = async (id: string) => printed(await service.keys('show', id, '--json'));
  const rotateByCommand = async (id: string, ...options: string[]): Promise<Key> =>
    printed(await service.keys('rotate', id, ...options, '--json'));
  /** Over HTTP, because a command takes a second. */
  const rotate = async (id: string, overlapSeconds: number): Promise<Key> => {
    const path = `/v1/keys/${id}/rotate`;
    const answer = await admin.send({ method: 'POST', path, body: { overlapSeconds } });
    expect(answer.status).toBe(200);
    return answer.body as Key;
  };
  /** Resolves once the secret no longer works. Returns the time until then. */
  async function endOf(key: unknown): Promise<number> {
    const begun = performance.now();
    await until(async () => !(await works(key)));
    return performance.now() - begun;
  }
  async function oldSecretEnd(id: string): Promise<number> {
    const select = 'select ends_at as at from key_secrets where key_id = $1 and ends_at is not null';
    const [row] = await onDatabase<{ at: Date }>(service, select, [id]);
    return row!.at.getTime();
  }

  it('gets a new secret for the same limits, counters and orders, and the old one works during the overlap', async () => {
    const issued = await service.issue();
    const { prefix: oldPrefix, ...before } = await shown(issued.id);
    const store = new Store(service.url, issued.key);
    const order = await store.placed((await store.create('Rex', 1)).id);
    await untilDayHasRoom();
    const used = await limits(issued.key);
    const { key, prefix, ...after } = await rotateByCommand(issued.id, '--overlap', '1h');
    expect(after).toEqual({ ...before, lastUsedAt: after.lastUsedAt });
    expect([prefix, key]).not.toEqual([oldPrefix, issued.key]);
    expect(String(key).startsWith(String(prefix))).toBe(true);
    for (const secret of [issued.key, key])
      expect((await new Store(service.url, String(secret)).get(`/v1/store/orders/${order.id}`)).status).toBe(
        200,
      );
    const dayLeft = ({ body }: typeof used) =>
      (body as { windows: { remaining: bigint }[] }).windows[1]!.remaining;
    expect(dayLeft(await limits(key))).toBe(dayLeft(used) - 2n);
  });

  it('has an overlap of 24 hours by default', async () => {
    const { id } = await service.issue();
    const before = Date.now();
    await rotateByCommand(id);
    const endsAtMs = (await oldSecretEnd(id)) - 86_400_000;
    expect(endsAtMs).toBeGreaterThanOrEqual(before);
    expect(endsAtMs).toBeLessThanOrEqual(Date.now());
  });

  it('loses the old secret after the overlap', async () => {
    const issued = await service.issue();
    await works(issued.key);
    const { key } = await rotate(issued.id, 5);
    expect(await works(issued.key)).toBe(true);
    const endsAtMs = await oldSecretEnd(issued.id);
    await endOf(issued.key);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs);
    expect(Date.now()).toBeLessThan(endsAtMs + 1_000);
    expect(await works(key)).toBe(true);
  });

  it('keeps up to five secrets over repeated rotations, the oldest of which then ends, and loses all on revocation', async () => {
    const issued = await service.issue();
    const keys: unknown[] = [issued.key];
    for (let rotations = 0; rotations < 4; rotations += 1) keys.push((await rotate(issued.id, 3_600)).key);
    for (const key of keys) expect(await works(key)).toBe(true);
    keys.push((await rotate(issued.id, 3_600)).key);
    expect(await endOf(keys.shift())).toBeLessThan(EFFECTIVE_WITHIN_MS);
    for (const key of keys) expect(await works(key)).toBe(true);
    await service.keys('revoke', issued.id);
    for (const key of keys) expect(await endOf(key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
  });

  it('loses every older secret on a rotation without an overlap', async () => {
    const issued = await service.issue();
    const keys: unknown[] = [
      issued.key,
      (await rotate(issued.id, 2_592_000)).key,
      (await rotate(issued.id, 86_400)).key,
    ];
    const newest = await rotate(issued.id, 0);
    for (const key of keys) expect(await endOf(key)).toBeLessThan(EFFECTIVE_WITHIN_MS);
    expect(await works(newest.key)).toBe(true);
  });

  it('shows its last use', async () => {
    const issued = await service.issue();
    const before = Date.now();
    await works(issued.key);
    const after = Date.now();
    const lastUsedAt = await until(async () => {
      const { lastUsedAt: shownAt } = await shown(issued.id);
      return typeof shownAt === 'string' && Date.parse(shownAt);
    });
    expect(lastUsedAt).toBeGreaterThanOrEqual(before);
    expect(lastUsedAt).toBeLessThanOrEqual(after);
  });

  it('shows its events, except with --json', async () => {
    const issued = printed(await service.keys(...'create --name test --plan free --json'.split(' ')));
    const id = String(issued.id);
    const results = await runCommands(
      service.env,
      [
        'set-plan ID enterprise --per-minute 5 --per-day 50',
        'rotate ID --overlap 1h',
        'unban ID',
        'revoke ID',
        'show ID',
      ].map((line) => ['keys', ...line.replace('ID', id).split(' ')]),
    );
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const lines = results
      .at(-1)!
      .stdout.split('\n')
      .filter((line) => / UTC +│ [a-z]/.test(line));
    expect(
      lines.map((line) =>
        line
          .split('│')
          .slice(2, 5)
          .map((cell) => cell.trim()),
      ),
    ).toEqual([
      ['created', 'command', 'name: - → test'],
      ['updated', 'command', 'plan: free → enterprise'],
      ['rotated', 'command', expect.stringMatching(/^prefix: ask_\w{8} → ask_\w{8}$/)],
      ['unbanned', 'command', ''],
      ['revoked', 'command', expect.stringMatching(/^revokedAt: - → \S+Z$/)],
    ]);
    expect(Object.keys(await shown(id))).toEqual(Object.keys(issued).filter((field) => field !== 'key'));
  });
});
