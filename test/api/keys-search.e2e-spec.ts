import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../support/databases.js';
import type { Answer } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

type KeyShape = Record<string, unknown> & { id: string };

const keyOf = ({ body }: Answer) => body as unknown as KeyShape;

describe.each(databaseKinds)('a list of keys on $name', (kind) => {
  const service = sharedService(kind);
  const admin = storeOf(service, { access: 'admin' });

  const issued = async (fields: object) =>
    keyOf(await admin.send({ method: 'POST', path: '/v1/keys', body: { plan: 'free', ...fields } }));

  it('has pages, is filtered by state and reference, and searched by a part of name or reference', async () => {
    const reference = randomUUID();
    const made: Record<string, string> = {};
    for (const state of ['active', 'expired', 'revoked', 'banned']) {
      made[state] = (await issued({ name: `${state} & _%`, reference })).id;
    }
    const set = (columns: string, state: string) =>
      onDatabase(service, `update api_keys set ${columns} where id = $1`, [made[state]]);
    await set(`expires_at = now(), banned_until = now() + interval '1 day', ban_duration_ms = 1`, 'expired');
    await set('revoked_at = now(), expires_at = now()', 'revoked');
    await set(`banned_until = now() + interval '1 day', ban_duration_ms = 1`, 'banned');
    const list = async (query: string) => {
      const found: KeyShape[] = [];
      let next = `/v1/keys?limit=1&reference=${reference}&${query}`;
      while (next) {
        const answer = await admin.get(next);
        found.push(...(answer.body as unknown as KeyShape[]));
        next = /<(.+?)>/.exec(String(answer.headers.link ?? ''))?.[1] ?? '';
      }
      return found;
    };
    expect((await list('')).map(({ id }) => id)).toEqual(Object.values(made));
    for (const state of Object.keys(made)) {
      const found = await list(`state=${state}`);
      expect(found.map((each) => [each.id, each.state])).toEqual([[made[state], state]]);
    }
    for (const [q, states] of [
      [' & _%', Object.keys(made)],
      ['CTIVE & _', ['active']],
      ['a_tive', []],
      ['%', Object.keys(made)],
      ['\\', []],
      [reference.slice(4, 30).toUpperCase(), Object.keys(made)],
    ] as const)
      expect((await list(`q=${encodeURIComponent(q)}`)).map(({ state }) => state)).toEqual(states);
    expect(await list(`q=active&state=revoked`)).toEqual([]);
    const { headers } = await admin.get(`/v1/keys?limit=1&reference=${reference}`);
    const cursor = String(headers['x-next-cursor']);
    expectError(await admin.get(`/v1/keys?limit=1&cursor=${cursor}`), 'invalid_cursor');
    expectError(await admin.get(`/v1/keys/me/events?cursor=${cursor}`), 'invalid_cursor');
  });

  it('is searched by what people have of them: capitals of any script, and how a secret begins, also an older one', async () => {
    const mark = randomUUID();
    const { id, prefix } = await issued({ name: `Zoë MÜLLER ${mark}` });
    const other = await issued({ name: mark, reference: 'x'.repeat(255) });
    const found = async (q: string) => {
      const { body } = await admin.get(`/v1/keys?q=${encodeURIComponent(q)}`);
      return (body as unknown as KeyShape[]).map((key) => key.id);
    };
    expect(await found(`zoË müller ${mark}`)).toEqual([id]);
    expect(await found(mark)).toEqual([id, other.id]);
    expect(await found('X'.repeat(255))).toEqual([other.id]);
    await admin.send({ method: 'POST', path: `/v1/keys/${id}/rotate` });
    for (const start of [String(prefix), String(prefix).slice(0, 9)])
      expect(await found(start)).toContain(id);
    expect(await found(`${String(prefix)}x`)).toEqual([]);
    for (const q of ['', 'x'.repeat(256), 'a\0b'])
      expectError(await admin.get(`/v1/keys?q=${encodeURIComponent(q)}`), 'invalid_parameter');
    expectError(await admin.get(`/v1/keys?name=x`), 'invalid_parameter');
  });
});
