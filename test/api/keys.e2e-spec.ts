import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { printed } from '../support/command-line.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import type { Answer } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { issueKeys, type IssuedKey } from '../support/keys.js';
import { ownService } from '../support/service.js';
import { Store, storeOf } from '../support/store.js';
import { until } from '../support/until.js';

type KeyShape = Record<string, unknown> & { id: string; key: string };

const keyOf = ({ body }: Answer) => body as unknown as KeyShape;
const ONE_DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * ONE_DAY_MS).toISOString();

describe.each(databaseKinds)('keys over HTTP on $name', (kind) => {
  const service = ownService(kind);
  const admin = storeOf(service, { access: 'admin', name: 'the admin' });
  let adminId: string;

  const create = (body: object) => admin.send({ method: 'POST', path: '/v1/keys', body });
  const update = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    admin.send({ method: 'PATCH', path: `/v1/keys/${id}`, body, headers });
  const rotate = (id: string, body?: object) =>
    admin.send({ method: 'POST', path: `/v1/keys/${id}/rotate`, body });
  const issued = async (fields: object = {}) => {
    const answer = await create({ name: 'partner', plan: 'free', ...fields });
    expect(answer.status).toBe(201);
    return keyOf(answer);
  };
  const eventsOf = async (id: string) =>
    ((await admin.get(`/v1/keys/${id}/events`)).body as unknown as Record<string, unknown>[]).map(
      ({ id: _id, at: _at, ...event }) => event,
    );
  const worksWith = async (key: string) => (await service.call({ path: '/v1/pets', key })).status === 200;

  beforeAll(async () => {
    adminId = keyOf(await admin.get('/v1/keys/me')).id;
  });

  it('issues a key, whose secret is shown once', async () => {
    const expiresAt = inDays(90);
    const body = { name: 'shop 7', plan: 'pro', access: 'order', expiresAt, reference: 'crm-7' };
    const answer = await create(body);
    const { key, ...shown } = keyOf(answer);
    expect(answer.headers.location).toBe(`/v1/keys/${shown.id}`);
    expect(shown).toMatchObject({
      ...body,
      perMinute: 300n,
      perDay: 10_000n,
      state: 'active',
      revokedAt: null,
    });
    const got = await admin.get(`/v1/keys/${shown.id}`);
    expect([got.body, got.headers.etag]).toEqual([shown, answer.headers.etag]);
    expect(await worksWith(key)).toBe(true);
    const ofCommand = printed(await service.keys('show', shown.id, '--json'));
    expect(Object.keys(shown)).toEqual(Object.keys(ofCommand));
    expect(await eventsOf(shown.id)).toEqual([
      {
        kind: 'created',
        actor: adminId,
        actorName: 'the admin',
        changes: expect.objectContaining({ name: { before: null, after: 'shop 7' } }),
      },
    ]);
  });

  it('keeps no secret in the database or the log', async () => {
    const first = await issued();
    const second = keyOf(await rotate(first.id));
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'repeated', plan: 'free' };
    const [third, fourth] = [
      keyOf(await admin.send({ method: 'POST', path: '/v1/keys', body, headers })),
      keyOf(await admin.send({ method: 'POST', path: '/v1/keys', body, headers })),
    ];
    expect(third.id).not.toBe(fourth.id);
    const tables = await onDatabase<{ name: string }>(
      service,
      `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    );
    expect(tables.length).toBeGreaterThan(6);
    let stored = '';
    for (const { name } of tables)
      stored += JSON.stringify(await onDatabase(service, `select to_jsonb(t)::text as row from "${name}" t`));
    expect(stored).toContain(first.id);
    for (const { key, prefix } of [first, second, third, fourth]) {
      const secret = key.slice(String(prefix).length);
      expect([
        stored.includes(secret),
        service.stdout.includes(secret),
        service.stderr.includes(secret),
      ]).toEqual([false, false, false]);
    }
  });

  it('changes any field, records who changed what, and changes nothing twice', async () => {
    const { id } = await issued();
    const expiresAt = inDays(7);
    const changes = { name: 'renamed', reference: 'crm-8', access: 'manage', expiresAt };
    const limits = { plan: 'enterprise', perMinute: 5, perDay: 50 };
    for (let time = 0; time < 2; time += 1) {
      const shown = keyOf(await update(id, { ...changes, ...limits }));
      expect(shown).toMatchObject({ ...changes, plan: 'enterprise', perMinute: 5n, perDay: 50n });
    }
    expect(keyOf(await update(id, { expiresAt: null, plan: 'free' }))).toMatchObject({
      expiresAt: null,
      perMinute: 60n,
    });
    expect((await eventsOf(id)).slice(1)).toEqual([
      {
        kind: 'updated',
        actor: adminId,
        actorName: 'the admin',
        changes: {
          name: { before: 'partner', after: 'renamed' },
          reference: { before: null, after: 'crm-8' },
          access: { before: 'read', after: 'manage' },
          expiresAt: { before: null, after: expiresAt },
          plan: { before: 'free', after: 'enterprise' },
          perMinute: { before: 60n, after: 5n },
          perDay: { before: 1_000n, after: 50n },
        },
      },
      expect.objectContaining({ kind: 'updated' }),
    ]);
  });

  it('lets one of two admins win who change the same state, also while the key is in use', async () => {
    const { id, key } = await issued();
    const { etag } = (await admin.get(`/v1/keys/${id}`)).headers;
    await worksWith(key);
    await until(async () => keyOf(await admin.get(`/v1/keys/${id}`)).lastUsedAt !== null);
    const names = ['first', 'second', 'third'];
    const answers = await Promise.all(
      names.map((name) => update(id, { name }, { 'if-match': String(etag) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const winner = answers.find(({ status }) => status === 200)!;
    const got = await admin.get(`/v1/keys/${id}`);
    expect(keyOf(got).name).toBe(keyOf(winner).name);
    expect((await update(id, { name: 'again' }, { 'if-match': String(got.headers.etag) })).status).toBe(200);
  });

  it('loses no change of two admins without If-Match', async () => {
    const { id } = await issued();
    await Promise.all([
      update(id, { name: 'both' }),
      update(id, { reference: 'both' }),
      update(id, { access: 'order' }),
    ]);
    expect(keyOf(await admin.get(`/v1/keys/${id}`))).toMatchObject({
      name: 'both',
      reference: 'both',
      access: 'order',
    });
  });

  it('shows every key its own key, history and usage, by me and by its id, and those of no other', async () => {
    const { id, key } = await issued({ access: 'read' });
    const self = new Store(service.url, key);
    for (const own of ['me', id, id.toUpperCase()])
      for (const path of ['', '/events', '/usage?days=1'])
        expect((await self.get(`/v1/keys/${own}${path}`)).status).toBe(200);
    for (const path of ['', '/events', '/usage'])
      expectError(await self.get(`/v1/keys/${adminId}${path}`), 'insufficient_access');
    expectError(
      await self.send({ method: 'PATCH', path: '/v1/keys/me', body: { name: 'x' } }),
      'insufficient_access',
    );
    expect(((await admin.get(`/v1/keys/${id}/usage?days=2`)).body as unknown as unknown[]).length).toBe(2);
  });

  it('names the keys that changed another, as they are called now, and neither commands nor the service', async () => {
    const acting = await service.issue({ access: 'admin', name: 'before' });
    const { id } = await issued();
    await new Store(service.url, acting.key).send({ method: 'DELETE', path: `/v1/keys/${id}` });
    await onDatabase(service, `update api_keys set name = 'after' where id = $1`, [acting.id]);
    await service.keys('unban', id);
    expect((await eventsOf(id)).map(({ actor, actorName }) => [actor, actorName])).toEqual([
      [adminId, 'the admin'],
      [acting.id, 'after'],
      ['command', null],
    ]);
  });

  it('revokes a key for good, and lets an expired one come back', async () => {
    const { id, key } = await issued();
    for (let time = 0; time < 2; time += 1)
      expect((await admin.send({ method: 'DELETE', path: `/v1/keys/${id}` })).status).toBe(204);
    await until(async () => !(await worksWith(key)));
    expectError(await update(id, { expiresAt: inDays(1) }), 'invalid_status_transition');
    expectError(await rotate(id), 'invalid_status_transition');
    expect((await eventsOf(id)).map(({ kind: what }) => what)).toEqual(['created', 'revoked']);

    const [expired] = (await issueKeys(service, 1, { expiresInMs: -1 })) as [IssuedKey];
    expect(await worksWith(expired.key)).toBe(false);
    expectError(await rotate(expired.id), 'invalid_status_transition');
    expect(keyOf(await update(expired.id, { expiresAt: inDays(1) })).state).toBe('active');
    await until(() => worksWith(expired.key));
  });

  it('ends a ban, once for requests with one Idempotency-Key', async () => {
    const { id } = await issued();
    const ban = () =>
      onDatabase(
        service,
        `update api_keys set banned_until = now() + interval '1 hour', ban_duration_ms = 1 where id = $1`,
        [id],
      );
    const unban = () =>
      admin.send({
        method: 'POST',
        path: `/v1/keys/${id}/unban`,
        headers: { 'idempotency-key': `unban ${id}` },
      });
    await ban();
    expect(keyOf(await admin.get(`/v1/keys/${id}`)).state).toBe('banned');
    const answer = await unban();
    expect(keyOf(answer)).toMatchObject({ state: 'active', bannedUntil: null });
    await ban();
    const replay = await unban();
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([answer.text, 'true']);
    expect(keyOf(await admin.get(`/v1/keys/${id}`)).state).toBe('banned');
  });

  it('says how many open orders a revoked key leaves', async () => {
    const partner = await issued({ access: 'order' });
    const pet = await new Store(service.url, await service.issueKey()).create('Rex', 1);
    await new Store(service.url, partner.key).placed(pet.id);
    const { code, stderr } = await service.keys('revoke', partner.id);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^open orders that the key leaves to the store: 1\nused the .+\n$/),
    ]);
  });
});
