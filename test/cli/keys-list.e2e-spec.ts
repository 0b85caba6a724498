import { beforeAll, describe, expect, it } from '@jest/globals';
import { printed, printedList } from '../support/command-line.js';
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
    // A list without keys.
    expect(await listed('--after', ids.at(-1)!)).toEqual([]);
    expect(await service.keys('list', '--after', ids.at(-1)!)).toMatchObject({ code: 0, stderr: '' });
  });

  it('includes every key without --json', async () => {
    const { code, stdout, stderr } = await service.keys('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)).toEqual(ids);
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

  it('fits 120 columns, whatever the name', async () => {
    const name = '漢字🐈'.repeat(30);
    await service.keys(
      'create',
      '--name',
      name,
      '--plan',
      'enterprise',
      '--per-minute',
      '1',
      '--per-day',
      '1',
    );
    const { stdout } = await service.keys('list', '--name', '漢字');
    expect(stdout).toContain('…');
    // A character of these scripts takes two columns.
    const widthOf = (line: string) => line.length + (line.match(/[漢字]/g)?.length ?? 0);
    expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(120);
  });

  it('is filtered, alone and together', async () => {
    const [known] = (
      await Promise.all([
        service.keys(...'create --name=50%_off --plan pro --access read --reference=crm-7 --json'.split(' ')),
        service.keys(...'create --name=50 --plan pro --json'.split(' ')),
      ])
    ).map(printed);
    for (const filter of [
      '--name=50%',
      '--reference=crm-7',
      '--plan=pro --access=read',
      '--name=50%_ --state=active',
    ])
      expect(await listed(...filter.split(' '))).toEqual([known!.id]);
    expect(await listed('--name=50%', '--state=revoked')).toEqual([]);
  });
});
