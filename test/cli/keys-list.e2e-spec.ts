import { beforeAll, describe, expect, it } from '@jest/globals';
import { printed, printedList, USED } from '../support/command-line.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { ownService } from '../support/service.js';

/** More than a page of the list, written by one statement with one time of creation. */
const KEYS = 1_234;

describe('a long list of keys', () => {
  const service = ownService(anyKind, { NODE_ENV: 'production' });
  let ids: string[];
  let issued: string[];

  beforeAll(async () => {
    await service.issue();
    issued = (await issueKeys(service, KEYS)).map(({ id }) => id);
    ids = await listed();
  });

  const listed = async (...options: string[]) =>
    printedList(await service.keys('list', '--json', ...options)).map(({ id }) => id as string);

  it('is one JSON value with every key once, in order of creation', () => {
    expect(ids).toHaveLength(KEYS + 1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(1)).toEqual(issued);
  });

  it('can be read in pages with --limit and --after', async () => {
    expect(await listed('--limit', '1')).toEqual(ids.slice(0, 1));
    expect(await listed('--limit', '1100', '--after', ids[0]!)).toEqual(ids.slice(1, 1_101));
    const { prefix } = printed(await service.keys('show', ids[4]!, '--json'));
    expect(await listed('--limit', '1', '--after', String(prefix))).toEqual(ids.slice(5, 6));
    // A list without keys.
    expect(await listed('--after', ids.at(-1)!)).toEqual([]);
    expect(await service.keys('list', '--after', ids.at(-1)!)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(USED),
    });
  });

  it('includes every key without --json', async () => {
    const { code, stdout, stderr } = await service.keys('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(USED) });
    const all = printedList(await service.keys('list', '--json'));
    expect(stdout.match(/ask_\w{8}/g)).toEqual(all.map(({ prefix }) => prefix));
  });

  it('shows the last use of the newest day', async () => {
    const lastUse = async () => printed(await service.keys('show', ids[0]!, '--json')).lastUsedAt;
    expect(await lastUse()).toBeNull();
    const days = ['2026-11-20', '2026-11-21', '2026-11-19'];
    await onDatabase(
      service,
      `insert into usage_days (key_id, day, admitted, refused, last_used_at)
        select $1, day, 1, 0, (day::text || ' 10:00Z')::timestamptz from unnest($2::date[]) day`,
      [ids[0], days],
    );
    expect(await lastUse()).toBe('2026-11-21T10:00:00.000Z');
  });

  it('shows prefix, reference and last use in 100 columns, whatever the name and the reference', async () => {
    const name = '漢字🐈'.repeat(30);
    const limits =
      '--plan enterprise --per-minute 1 --per-day 1 --access manage --expires-in 90d --json'.split(' ');
    const issued = printed(
      await service.keys('create', '--name', name, '--reference', `shop-4 ${name}`, ...limits),
    );
    await onDatabase(
      service,
      `insert into usage_days (key_id, day, admitted, refused, last_used_at)
        values ($1, '2026-11-21', 1, 0, '2026-11-21T10:00:00Z')`,
      [issued.id],
    );
    const { stdout } = await service.keys('list', '--q', '漢字');
    for (const shown of [String(issued.prefix), '漢字', '…', 'shop-4', 'enterprise', 'manage', '2026-11-21'])
      expect(stdout).toContain(shown);
    // A character of these scripts takes two columns.
    const widthOf = (line: string) => line.length + (line.match(/[漢字]/g)?.length ?? 0);
    expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(100);
  });

  it('is filtered, alone and together', async () => {
    const [known] = (
      await Promise.all([
        service.keys(
          ...'create --name=50%_off --plan pro --access order --reference=crm-7 --json'.split(' '),
        ),
        service.keys(...'create --name=50 --plan pro --json'.split(' ')),
      ])
    ).map(printed);
    for (const filter of [
      '--q=%_OFF',
      '--q=CRM-7',
      '--reference=crm-7',
      '--plan=pro --access=order',
      '--q=50%_ --state=active',
    ])
      expect(await listed(...filter.split(' '))).toEqual([known!.id]);
    expect(await listed('--q=50%_', '--state=revoked')).toEqual([]);
  });
});
