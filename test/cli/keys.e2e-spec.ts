import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { call } from '../support/http/client.js';
import { printed, printedList, runCli, runCommands } from '../support/command-line.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { sharedService, type RunningService } from '../support/service.js';
import { until } from '../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SECRET = /ask_[0-9A-Za-z]{9}/;
/** Limits that no test reaches. */
const ROOMY = ['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '100000'];
const DAY_MS = 86_400_000;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const FIELDS =
  'id name plan perMinute perDay readOnly prefix createdAt expiresAt revokedAt lastUsedAt bannedUntil'
    .split(' ')
    .sort();

function checksumOf(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  while (digits.length < 6) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** The table of keys as it is stored, every value as text. */
async function storedKeys(service: RunningService): Promise<Record<string, unknown>[]> {
  const rows = await onDatabase<{ row: Record<string, unknown> }>(
    service,
    'select to_jsonb(api_keys) as row from api_keys',
  );
  return rows.map(({ row }) => row);
}

describe.each(databaseKinds)('the keys command beside a service on $name', (kind) => {
  const service = sharedService(kind);
  const keys = (...args: string[]) => service.keys(...args);
  const keysAlone = (...args: string[]) => runCli(service.env, 'keys', ...args);
  const issue = async (...options: string[]) => printed(await keys('create', ...options, '--json'));
  const issueEach = async (cases: string[][]) => {
    const commands = cases.map((options) => ['keys', 'create', ...options, '--json']);
    return (await runCommands(service.env, commands)).map(printed);
  };
  const listAs = async (key: unknown) => await call(service.url, { path: '/v1/pets', key: String(key) });

  it('issues a key of each plan', async () => {
    const plans: [string, number, number][] = [
      ['free', 60, 1_000],
      ['pro', 300, 10_000],
      ['business', 1_000, 100_000],
    ];
    const keysOfPlans = await issueEach(plans.map(([plan]) => ['--name', `a ${plan} key`, '--plan', plan]));
    for (const [at, [plan, perMinute, perDay]] of plans.entries()) {
      const issued = keysOfPlans[at]!;
      expect(Object.keys(issued).sort()).toEqual([...FIELDS, 'key'].sort());
      expect(issued).toMatchObject({ name: `a ${plan} key`, plan, perMinute, perDay, readOnly: false });
      expect(issued).toMatchObject({ expiresAt: null, revokedAt: null, lastUsedAt: null, bannedUntil: null });
      expect(issued.id).toMatch(UUID);
      expect(issued.createdAt).toMatch(MOMENT);
      expect(Math.abs(Date.parse(issued.createdAt as string) - Date.now())).toBeLessThan(60_000);
      expect((await listAs(issued.key)).status).toBe(200);
    }
  });

  it('issues enterprise keys with their own limits, up to the largest', async () => {
    const enterprise = ['--name', 'e', '--plan', 'enterprise'];
    const most = '2147483647';
    const [small, large] = await issueEach([
      [...enterprise, '--per-minute', '1', '--per-day', '7'],
      [...enterprise, '--per-minute', most, '--per-day', most],
    ]);
    expect(small).toMatchObject({ plan: 'enterprise', perMinute: 1, perDay: 7 });
    expect(large).toMatchObject({ perMinute: 2_147_483_647, perDay: 2_147_483_647 });
  });

  it('generates keys of ask_, 43 random characters and a checksum', async () => {
    const issued = await issueEach(['a', 'b', 'c'].map((name) => ['--name', name, '--plan', 'free']));
    for (const { key, prefix } of issued as { key: string; prefix: string }[]) {
      expect(key).toMatch(/^ask_[0-9A-Za-z]{49}$/);
      expect(key.slice(-6)).toBe(checksumOf(key.slice(4, 47)));
      expect(key.startsWith(prefix)).toBe(true);
      expect(prefix.length).toBeLessThan(16);
    }
    expect(new Set(issued.map(({ key }) => key)).size).toBe(3);
  });

  it('issues a read-only key', async () => {
    const issued = await issue('--name', 'reader', '--plan', 'free', '--read-only');
    expect(issued).toMatchObject({ readOnly: true });
    expect((await listAs(issued.key)).status).toBe(200);
    const body = { name: 'Rex', categoryId: 1 };
    const refused = await call(service.url, {
      method: 'POST',
      path: '/v1/pets',
      key: issued.key as string,
      body,
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'read_only_key' });
  });

  it('issues a key that expires after seconds, minutes, hours or days', async () => {
    const durations: [string, number][] = [
      ['30s', 30_000],
      ['45m', 45 * 60_000],
      ['36h', 36 * 3_600_000],
      ['90d', 90 * DAY_MS],
    ];
    const guest = ['--name', 'guest', '--plan', 'free'];
    const issuedFromMs = Date.now();
    const issued = await issueEach(durations.map(([duration]) => [...guest, '--expires-in', duration]));
    for (const [at, [, validForMs]] of durations.entries()) {
      const { expiresAt } = issued[at]!;
      expect(expiresAt).toMatch(MOMENT);
      const expiresAtMs = Date.parse(expiresAt as string);
      expect(expiresAtMs).toBeGreaterThanOrEqual(issuedFromMs + validForMs);
      expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + validForMs);
    }
  });

  it('shows a key without its secret', async () => {
    const { key, ...issued } = await issue('--name', 'shown', '--plan', 'pro');
    const id = issued.id as string;
    expect(printed(await keys('show', id, '--json'))).toEqual(issued);
    expect(printed(await keys('show', id.toUpperCase(), '--json'))).toEqual(issued);
    const table = await keys('show', id);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    for (const text of [id, 'shown', 'pro', '300', '10000']) expect(table.stdout).toContain(text);
    expect(table.stdout).not.toContain((key as string).slice(14));
  });

  it('lists all keys in order of creation, including revoked ones, without secrets', async () => {
    const first = await issue('--name', 'listed first', '--plan', 'free');
    const second = await issue('--name', 'listed second', '--plan', 'free');
    await keys('revoke', first.id as string);
    const result = await keys('list', '--json');
    const all = printedList(result);
    for (const key of all) expect(Object.keys(key).sort()).toEqual(FIELDS);
    const moments = all.map(({ createdAt }) => createdAt as string);
    expect(moments).toEqual([...moments].sort());
    const names = all.map(({ name }) => name);
    expect(names.indexOf('listed second')).toBe(names.indexOf('listed first') + 1);
    expect(all[names.indexOf('listed first')]!.revokedAt).toMatch(MOMENT);
    expect(result.stdout).not.toMatch(SECRET);
    const table = await keys('list');
    expect(table).toMatchObject({ code: 0, stderr: '' });
    for (const { id } of all) expect(table.stdout).toContain(id);
    expect(table.stdout).not.toMatch(SECRET);
    for (const key of [first.key, second.key]) expect(table.stdout).not.toContain((key as string).slice(14));
  });

  it('prints the secret of a new key once without --json', async () => {
    const { code, stdout, stderr } = await keysAlone('create', '--name', 'for people', '--plan', 'free');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = stdout.match(/ask_[0-9A-Za-z]{49}/g);
    expect(found).toHaveLength(1);
    expect(stdout).toContain('for people');
    expect((await listAs(found![0])).status).toBe(200);
  });

  it('accepts a name of up to 100 characters in any script', async () => {
    const names = ['x', '🐈'.repeat(100), "Zoë's “shop” │ 50 % <b>", '-- not an option'];
    const issued = await issueEach(names.map((name) => [`--name=${name}`, '--plan', 'free']));
    expect(issued.map(({ name }) => name)).toEqual(names);
  });

  it('revokes a key, which the running service refuses within a second', async () => {
    const { key, ...issued } = await issue('--name', 'to be revoked', ...ROOMY);
    expect((await listAs(key)).status).toBe(200);
    const revoked = printed(await keys('revoke', issued.id as string, '--json'));
    const revokedBy = performance.now();
    expect(revoked).toEqual({
      ...issued,
      revokedAt: expect.stringMatching(MOMENT),
      lastUsedAt: revoked.lastUsedAt,
    });
    const answer = await until(async () => {
      const next = await listAs(key);
      return next.status === 200 ? false : next;
    });
    expect(performance.now() - revokedBy).toBeLessThan(1_000);
    expect(answer.body).toMatchObject({ code: 'invalid_api_key' });
    const again = printed(await keys('revoke', issued.id as string, '--json'));
    expect(again.revokedAt).toBe(revoked.revokedAt);
    const select = 'select kind from key_events where key_id = $1 order by id';
    const events = await onDatabase<{ kind: string }>(service, select, [issued.id]);
    expect(events.map(({ kind }) => kind)).toEqual(['created', 'revoked']);
  });

  it('stores only the SHA-256 and the displayed prefix of a key', async () => {
    const { id, key, prefix } = (await issue('--name', 'stored', '--plan', 'free')) as Record<string, string>;
    const rows = await storedKeys(service);
    const row = rows.find((candidate) => candidate.id === id)!;
    expect(row.secret_hash).toBe(`\\x${createHash('sha256').update(key!).digest('hex')}`);
    expect(row.prefix).toBe(prefix);
    expect(JSON.stringify(rows)).not.toContain(key!.slice(prefix!.length));
    expect(JSON.stringify(rows)).not.toContain(key!.slice(4));
  });

  if (kind.name === 'embedded') {
    it('writes no secret to any file of the database', async () => {
      const { id, key } = (await issue('--name', 'filed', '--plan', 'free')) as Record<string, string>;
      const dir = service.env.DATA_DIR!;
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((item) =>
        item.isFile(),
      );
      const contents = files.map((file) => readFileSync(join(file.parentPath, file.name)));
      // The search has to find the row itself, because otherwise it would prove nothing.
      const bytesOfId = Buffer.from(id!.replaceAll('-', ''), 'hex');
      expect(contents.some((content) => content.includes(bytesOfId))).toBe(true);
      expect(contents.some((content) => content.includes(key!.slice(16)))).toBe(false);
    });
  }

  it('runs in several processes at the same time', async () => {
    const names = ['one', 'two', 'three'].map((name) => `at once ${name}`);
    const results = await Promise.all(
      names.map((name) => keysAlone('create', '--name', name, '--plan', 'free', '--json')),
    );
    const issued = results.map((result) => printed(result));
    expect(new Set(issued.map(({ id }) => id)).size).toBe(3);
    const listed = printedList(await keys('list', '--json')).map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(names));
    for (const { key } of issued) expect((await listAs(key)).status).toBe(200);
  });
});
