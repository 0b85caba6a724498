import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { printed, runCommands, USED, type Key } from '../support/command-line.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KEY = /ask_[0-9A-Za-z]{49}/g;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIELDS =
  'id name plan perMinute perDay access reference state prefix createdAt expiresAt revokedAt lastUsedAt bannedUntil'
    .split(' ')
    .sort();

// keys-list.e2e-spec.ts has the order and the pages of the list, api-key-format.spec.ts the checksum.
describe('the keys command beside a service', () => {
  const service = sharedService(anyKind);

  /** Creates keys with these options, separated by spaces. */
  const issue = async (...cases: string[]): Promise<Key[]> => {
    const commands = cases.map((options) => ['keys', 'create', ...options.split(' '), '--json']);
    return (await runCommands(service.env, commands)).map(printed);
  };
  const listAs = (key: unknown) => service.call({ path: '/v1/pets', key: String(key) });

  it.each([
    ['--plan free', { plan: 'free', perMinute: 60, perDay: 1_000, access: 'read' }],
    ['--plan pro', { plan: 'pro', perMinute: 300, perDay: 10_000, access: 'read' }],
    [
      '--plan business --access manage',
      { plan: 'business', perMinute: 1_000, perDay: 100_000, access: 'manage' },
    ],
    ['--plan enterprise --per-minute 1 --per-day 7', { plan: 'enterprise', perMinute: 1, perDay: 7 }],
    [
      '--plan enterprise --per-minute 2147483647 --per-day 2147483647',
      { perMinute: 2_147_483_647, perDay: 2_147_483_647 },
    ],
  ])('issues a working key: %s', async (options, expected) => {
    const [issued] = (await issue(`--name own ${options}`)) as [Key];
    expect(Object.keys(issued).sort()).toEqual([...FIELDS, 'key'].sort());
    expect(issued).toMatchObject({
      name: 'own',
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      bannedUntil: null,
    });
    expect(issued).toMatchObject(expected);
    expect(issued.id).toMatch(UUID);
    expect(issued.createdAt).toMatch(MOMENT);
    expect(Math.abs(Date.parse(issued.createdAt as string) - Date.now())).toBeLessThan(60_000);
    expect(String(issued.key).match(KEY)).toEqual([issued.key]);
    expect(String(issued.key).startsWith(String(issued.prefix))).toBe(true);
    expect((await listAs(issued.key)).status).toBe(200);
  });

  it('issues a key that expires after seconds, minutes, hours or days', async () => {
    const durations = { '30s': 30_000, '45m': 45 * 60_000, '36h': 36 * 3_600_000, '90d': 90 * 86_400_000 };
    const fromMs = Date.now();
    const issued = await issue(
      ...Object.keys(durations).map((each) => `--name g --plan free --expires-in ${each}`),
    );
    for (const [at, validForMs] of Object.values(durations).entries()) {
      expect(issued[at]!.expiresAt).toMatch(MOMENT);
      const expiresAtMs = Date.parse(issued[at]!.expiresAt as string);
      expect(expiresAtMs).toBeGreaterThanOrEqual(fromMs + validForMs);
      expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + validForMs);
    }
  });

  it('accepts a name of up to 100 characters in any script', async () => {
    const names = ['x', '🐈'.repeat(255), "Zoë's “shop” │ 50 % <b>", '-- not an option'];
    const commands = names.map((name) => ['keys', 'create', `--name=${name}`, '--plan', 'free', '--json']);
    const issued = (await runCommands(service.env, commands)).map(printed);
    expect(issued.map(({ name }) => name)).toEqual(names);
  });

  it('shows a key without its secret, also by an id in capitals', async () => {
    const [{ key, ...issued }] = (await issue('--name shown --plan pro')) as [Key];
    const id = issued.id as string;
    for (const each of [id, id.toUpperCase()])
      expect(printed(await service.keys('show', each, '--json'))).toEqual(issued);
    const table = await service.keys('show', id);
    expect(table).toMatchObject({ code: 0, stderr: expect.stringMatching(USED) });
    for (const text of [id, 'shown', 'pro', '300', '10000']) expect(table.stdout).toContain(text);
    expect(table.stdout).not.toContain((key as string).slice(14));
  });

  it('prints the secret of a new key once without --json', async () => {
    const created = await service.keys('create', '--name', 'for people', '--plan', 'free');
    expect(created).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(USED),
      stdout: expect.stringContaining('for people'),
    });
    const found = created.stdout.match(KEY)!;
    expect(found).toHaveLength(1);
    expect((await listAs(found[0])).status).toBe(200);
  });

  it('stores only the SHA-256 and the displayed prefix of a key', async () => {
    const [{ id, key, prefix }] = (await issue('--name stored --plan free')) as [Record<string, string>];
    const rows = await onDatabase<{ row: Record<string, unknown> }>(
      service,
      'select to_jsonb(k) as row from api_keys k union all select to_jsonb(s) from key_secrets s',
    );
    const stored = rows.find(({ row }) => row.key_id === id)!.row;
    expect(stored).toMatchObject({
      hash: `\\x${createHash('sha256').update(key!).digest('hex')}`,
      prefix,
    });
    expect(JSON.stringify(rows)).not.toContain(key!.slice(prefix!.length));
  });
});
