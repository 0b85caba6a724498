import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { cursorOf, Feed } from '../../support/feed.js';
import { expectError } from '../../support/http/expect-error.js';
import { ownService } from '../../support/service.js';
import { Store, storeOf } from '../../support/store.js';
import { atOnce } from '../../support/until.js';
import { WebhooksOf } from '../../support/webhooks.js';

const URL = 'https://partner.example/hooks';

describe.each(databaseKinds)('webhooks ($name)', (kind) => {
  const service = ownService(kind);
  const partner = storeOf(service, { plan: 'business', access: 'order' });
  const other = storeOf(service, { plan: 'business', access: 'order' });
  const admin = storeOf(service, { plan: 'business', access: 'admin' });
  const own = new WebhooksOf(partner);

  it('are created at the end of the feed, with a secret that is shown once', async () => {
    const created = await own.post({ url: URL });
    const { secret, ...webhook } = created.body as Record<string, unknown>;

    expect(created.status).toBe(201);
    expect(created.headers.location).toBe(`/v1/webhooks/${String(webhook.id)}`);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      keyId: partner.id,
      url: URL,
      types: null,
      status: 'active',
      disabledReason: null,
      cursor: cursorOf(await partner.get('/v1/events?cursor=latest')),
      missed: false,
      lastAttemptAt: null,
      lastStatus: null,
      lastError: null,
      failingSince: null,
      nextAttemptAt: null,
      createdAt: expect.any(String),
    });
    const [row] = await onDatabase<{ all: string }>(
      service.database,
      'select row_to_json(webhooks)::text as all from webhooks where id = $1',
      [webhook.id],
    );
    const bare = String(secret).slice('whsec_'.length);
    expect(row!.all).not.toContain(bare);
    expect(service.stdout).not.toContain(bare);
    expect((await own.get(String(webhook.id))).body).toEqual({ ...webhook, waiting: 0n });
  });

  it.each([
    [{}, 'url: expected an https URL of at most 2048 characters'],
    [{ url: 'http://partner.example' }, 'url: expected an https URL, got an http URL'],
    [{ url: 'https://user:pass@partner.example' }, 'url: expected an https URL'],
    [{ url: URL, types: [] }, 'types: expected null, or an array of 1 to 20 different ones of pet.created'],
    [{ url: URL, types: ['pet.created', 'pet.created'] }, 'types: expected null, or an array'],
    [{ url: URL, types: ['pet.sold'] }, 'types: expected null, or an array'],
    [{ url: URL, types: 'pet.created' }, 'types: expected null, or an array'],
    [{ url: URL, status: 'active' }, '"status": no such field'],
  ])('refuse %j', async (body, message) => {
    expect(expectError(await own.post(body), 'invalid_body')).toContain(message);
  });

  it('belong to their key, and to administrators', async () => {
    const { id } = await own.create({ url: URL, types: ['pet.created'] });
    const theirs = new WebhooksOf(other);
    for (const answer of [
      await theirs.get(id),
      await theirs.update(id, { status: 'disabled' }),
      await theirs.remove(id),
      await theirs.rotate(id),
    ])
      expectError(answer, 'webhook_not_found');
    expect((await new WebhooksOf(admin).get(id)).body).toMatchObject({ keyId: partner.id });
    const reader = new Store(service.url, await service.issueKey({ access: 'read' }));
    expectError(await new WebhooksOf(reader).post({ url: URL }), 'insufficient_access');

    const [ofPartner, ofOther, all] = await Promise.all(
      [partner, other, admin].map((store) => store.walk<{ id: string }>('limit=1', { path: '/v1/webhooks' })),
    );
    expect(ofPartner!.map((webhook) => webhook.id)).toContain(id);
    expect(ofOther).toEqual([]);
    expect(all!.map((webhook) => webhook.id)).toEqual(expect.arrayContaining([id]));
    const newest = await partner.get('/v1/webhooks?order=desc&limit=1');
    expect(newest.body).toMatchObject([{ id }]);
  });

  it.each(['abc', '1', randomUUID()])('are not found by %s', async (id) => {
    expectError(await own.get(id), 'webhook_not_found');
  });

  it('change their address, types and status, and tell when they are disabled', async () => {
    const feed = await new Feed(partner, 'limit=100&types=webhook.disabled').toEnd();
    const { id } = await own.create({ url: URL });
    const changed = await own.update(id, { url: `${URL}/2`, types: ['order.placed'] });
    expect(changed.body).toMatchObject({ url: `${URL}/2`, types: ['order.placed'], status: 'active' });
    expect((await own.update(id, { types: null })).body).toMatchObject({ types: null });
    for (const again of [1, 2]) {
      const disabled = await own.update(id, { status: 'disabled' });
      expect([again, disabled.body]).toMatchObject([again, { status: 'disabled', disabledReason: 'caller' }]);
    }
    expect((await own.update(id, { status: 'active' })).body).toMatchObject({
      status: 'active',
      disabledReason: null,
    });
    expect(expectError(await own.update(id, {}), 'invalid_body')).toContain(
      'body: expected at least one of url, types, status, cursor',
    );
    expectError(await own.update(id, { url: null }), 'invalid_body');
    expect((await own.remove(id)).status).toBe(204);
    expectError(await own.remove(id), 'webhook_not_found');

    const { id: last } = await own.create({ url: URL });
    await own.update(last, { status: 'disabled' });
    const events = await feed.take(({ data }) => data.webhookId === last);
    expect(events.map(({ data }) => data)).toEqual(
      [id, last].map((webhookId) => ({ webhookId, keyId: partner.id, reason: 'caller' })),
    );
  });

  it('go back and forth in the feed, and say what waits', async () => {
    const start = cursorOf(await partner.get('/v1/events?cursor=latest'));
    const { id } = await own.create({ url: URL, types: ['pet.created'] });
    await own.update(id, { status: 'disabled' });
    const staff = new Store(service.url, await service.issueKey({ access: 'manage' }));
    const feed = new Feed(partner);
    feed.cursor = start;
    const pets = await atOnce(3, (index) => staff.create(`P${index}`, 1));
    await staff.update(pets[0]!.id, { name: 'Renamed' });
    await feed.take((event) => event.type === 'pet.updated');

    expect((await own.update(id, { cursor: start })).body).toMatchObject({ cursor: start });
    expect((await own.get(id)).body).toMatchObject({ waiting: 3n, cursor: start });
    const end = cursorOf(await partner.get('/v1/events?cursor=latest'));
    expect((await own.update(id, { cursor: 'latest' })).body).toMatchObject({ cursor: end });
    expect((await own.get(id)).body).toMatchObject({ waiting: 0n });
    expectError(await own.update(id, { cursor: 'abc' }), 'invalid_cursor');
    await onDatabase(
      service.database,
      'update event_feed set removed_position = last_position, removed_mark = last_mark',
    );
    expectError(await own.update(id, { cursor: start }), 'event_expired');
  });

  it('change only in the state that If-Match means, which deliveries do not change', async () => {
    const created = await own.post({ url: URL });
    const { id } = created.body as { id: string };
    const tag = created.headers.etag!;
    await onDatabase(service.database, 'update webhooks set last_attempt_at = now() where id = $1', [id]);
    const ifMatch = { 'If-Match': tag };
    const change = (body: unknown) =>
      partner.send({ method: 'PATCH', path: `/v1/webhooks/${id}`, body, headers: ifMatch });

    expect((await change({ types: ['pet.deleted'] })).status).toBe(200);
    expectError(await change({ types: null }), 'precondition_failed');
  });

  it('get a new secret, beside which the last one is kept for a day', async () => {
    const { id, secret } = await own.create({ url: URL });
    const rotated = await own.rotate(id);

    expect(rotated.status).toBe(200);
    expect(rotated.body).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.body).not.toMatchObject({ secret });
    const [row] = await onDatabase<{ hours: number; kept: string[] }>(
      service.database,
      `select (extract(epoch from old_secret_ends_at - now()) / 3600)::float as hours, array[secret, old_secret] as kept
        from webhooks where id = $1`,
      [id],
    );
    expect(Math.round(row!.hours)).toBe(24);
    expect(row!.kept).toEqual([expect.stringMatching(/^v1\./), expect.stringMatching(/^v1\./)]);
  });

  it.each([
    ['free', 1],
    ['pro', 5],
    ['business', 20],
  ] as const)('are bounded with the plan %s: %i, however many are created at once', async (plan, bound) => {
    const store = new WebhooksOf(new Store(service.url, await service.issueKey({ plan, access: 'order' })));
    const answers = await atOnce(bound + 3, () => store.post({ url: URL }));
    const created = answers.filter(({ status }) => status === 201);

    expect(created).toHaveLength(bound);
    for (const answer of answers.filter((each) => !created.includes(each)))
      expect(expectError(answer, 'too_many_webhooks')).toContain(`allows ${String(bound)} webhook`);
    await store.remove((created[0]!.body as { id: string }).id);
    expect((await store.post({ url: URL })).status).toBe(201);
  });
});
