import { beforeAll, describe, expect, it } from '@jest/globals';
import { printed, printedList } from '../support/command-line.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { ownService } from '../support/service.js';

/** More than a page of the list, written by one statement with one time. */
const KEYS = 1_234;

describe.each(databaseKinds)('a long list of keys on $name', (kind) => {
  const service = ownService(kind, { NODE_ENV: 'production' });
  let ids: string[];

  beforeAll(async () => {
    await service.issue();
    await issueKeys(service, KEYS);
    ids = await listed();
  });

  const listed = async (...options: string[]) =>
    printedList(await service.keys('list', '--json', ...options)).map(({ id }) => id as string);

  it('is one JSON value with every key once, in order of creation', () => {
    expect(ids).toHaveLength(KEYS + 1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(1)).toEqual(ids.slice(1).sort());
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

  it('shows the last use written by this or the previous release', async () => {
    const [earlier, later] = ['2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.000Z'];
    const lastUse = async () => printed(await service.keys('show', ids[0]!, '--json')).lastUsedAt;
    const ofRelease = (at: string) =>
      onDatabase(service, 'update api_keys set last_used_at = $2 where id = $1', [ids[0], at]);
    await onDatabase(service, 'insert into key_last_used values ($1, $2)', [ids[0], earlier]);
    expect(await lastUse()).toBe(earlier);
    await ofRelease(later);
    expect(await lastUse()).toBe(later);
    await ofRelease(earlier);
    await onDatabase(service, 'update key_last_used set minute = $2 where key_id = $1', [ids[0], later]);
    expect(await lastUse()).toBe(later);
  });
});
