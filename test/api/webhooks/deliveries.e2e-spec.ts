import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { cursorOf, Feed } from '../../support/feed.js';
import { expectError } from '../../support/http/expect-error.js';
import { isSignedBy, Receiver } from '../../support/servers/receiver.js';
import { ownService } from '../../support/service.js';
import { Store, storeOf } from '../../support/store.js';
import { until } from '../../support/until.js';
import { WebhooksOf } from '../../support/webhooks.js';

const SETTINGS = { SANDBOX: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };
const FIVE_DAYS = `interval '5 days 1 second'`;

describe.each(databaseKinds)('deliveries ($name)', (kind) => {
  const service = ownService(kind, SETTINGS);
  const staff = storeOf(service, { access: 'manage' });
  const admin = storeOf(service, { access: 'admin' });
  let partner: Store;
  let own: WebhooksOf;
  let receiver: Receiver;

  beforeEach(async () => {
    const { id, key } = await service.issue({ access: 'order' });
    partner = new Store(service.url, key, id);
    own = new WebhooksOf(partner);
    receiver = await Receiver.start();
  });

  const turnBack = (id: string, columns: string) =>
    onDatabase(service.database, `update webhooks set ${columns} where id = $1`, [id]);
  /** Lets a wait end at once. The wait begins when the outcome of an attempt is kept, which is after the receiver saw it. */
  const endWait = (id: string) =>
    until(async () => {
      const ended = await onDatabase(
        service.database,
        'update webhooks set next_attempt_at = now() where id = $1 and next_attempt_at > now() returning id',
        [id],
      );
      return ended.length > 0;
    });
  const untilState = (id: string, state: Record<string, unknown>) =>
    until(async () => {
      const { body } = (await own.get(id)) as { body: Record<string, unknown> };
      return Object.entries(state).every(([name, value]) => body[name] === value) && body;
    });

  it('bring each event in order, with the bytes of the feed and a signature', async () => {
    const feed = await new Feed(partner).toEnd();
    const start = feed.cursor!;
    const { id, secret } = await own.create({ url: receiver.url });
    const pet = await staff.create('Rex', 9_007_199_254_740_993n);
    const order = await partner.placed(pet.id);
    await partner.transition(order.id, 'cancel');

    const messages = await receiver.take(5);
    expect(messages.map(({ event }) => event)).toEqual(await feed.take(5));
    expect(messages[0]!.body).toContain('"categoryId":9007199254740993');
    const shown = await partner.get(`/v1/events?limit=5&cursor=${start}`);
    expect(`[${messages.map(({ body }) => body).join(',')}]`).toBe(shown.text);
    for (const message of messages) {
      expect(isSignedBy(secret, message)).toBe(true);
      expect(message.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'webhook-id': message.event.id,
      });
    }
    expect(await untilState(id, { lastStatus: 204n, waiting: 0n })).toMatchObject({
      cursor: cursorOf(await partner.get('/v1/events?cursor=latest')),
      lastError: null,
    });
  });

  it('pass what does not match, and what the key may not see', async () => {
    const { id } = await own.create({ url: receiver.url, types: ['order.placed', 'pet.deleted'] });
    const other = new Store(service.url, await service.issueKey({ access: 'order' }));
    const pet = await staff.create('Mia', 1);
    const order = await other.placed(pet.id);
    await other.transition(order.id, 'cancel');
    await staff.remove(pet.id);

    const [message] = await receiver.take(1);
    expect(message!.event).toMatchObject({ type: 'pet.deleted', data: { name: 'Mia' } });
    expect('actor' in message!.event).toBe(false);
    await untilState(id, { waiting: 0n, cursor: cursorOf(await partner.get('/v1/events?cursor=latest')) });
    expect(receiver.received).toHaveLength(1);
  });

  it('wait for an endpoint that fails, and lose nothing', async () => {
    receiver.answer = (response) => response.writeHead(500).end('secret text');
    const { id } = await own.create({ url: receiver.url, types: ['pet.created'] });
    for (const name of ['A', 'B', 'C']) await staff.create(name, 1);
    await receiver.take(1);
    const failing = await untilState(id, { lastStatus: 500n, waiting: 3n });
    expect(failing).toMatchObject({ status: 'active', lastError: null });
    const waitMs = Date.parse(String(failing.nextAttemptAt)) - Date.parse(String(failing.lastAttemptAt));
    expect([4_000 <= waitMs, waitMs <= 6_000]).toEqual([true, true]);
    expect((await own.get(id)).text).not.toContain('secret text');

    // An hour of failures.
    for (let attempts = 2; attempts <= 7; attempts++) await endWait(id);
    const later = await until(async () => {
      const { body } = (await own.get(id)) as { body: Record<string, unknown> };
      const ms = Date.parse(String(body.nextAttemptAt)) - Date.parse(String(body.lastAttemptAt));
      return ms > 700_000 && { ms };
    });
    expect(later.ms).toBeLessThan(1_080_001);
    const attempts = receiver.names;
    expect(attempts.length).toBeGreaterThanOrEqual(7);
    expect(new Set(attempts)).toEqual(new Set(['A']));
    receiver.answer = (response) => response.writeHead(200).end('ok');
    await endWait(id);
    await receiver.take(3, attempts.length);
    expect(receiver.names.slice(attempts.length)).toEqual(['A', 'B', 'C']);
    await untilState(id, { lastStatus: 200n, waiting: 0n, failingSince: null, nextAttemptAt: null });
  });

  it('wait before the event that fails, past those that are not for them', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    const { id } = await own.create({ url: receiver.url, types: ['pet.deleted'] });
    await own.update(id, { status: 'disabled' });
    await staff.remove((await staff.create('A', 1)).id);
    await own.update(id, { status: 'active' });
    const { cursor } = await untilState(id, { lastStatus: 500n });
    const { body } = await partner.get(`/v1/events?limit=1&cursor=${String(cursor)}`);
    expect(body).toMatchObject([{ type: 'pet.deleted' }]);
  });

  it('follow Retry-After', async () => {
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '3000' }).end();
    const { id } = await own.create({ url: receiver.url });
    await staff.create('A', 1);
    const { lastAttemptAt, nextAttemptAt } = await untilState(id, { lastStatus: 503n });
    expect(Date.parse(String(nextAttemptAt)) - Date.parse(String(lastAttemptAt))).toBe(3_000_000);
  });

  it('end at 410, and go on at their place when they are active again', async () => {
    const feed = await new Feed(partner, 'limit=100&types=webhook.disabled').toEnd();
    receiver.answer = (response) => response.writeHead(410).end();
    const { id } = await own.create({ url: receiver.url, types: ['pet.created'] });
    await staff.create('A', 1);
    await untilState(id, { status: 'disabled' });
    const [event] = await feed.take(1);
    expect(event!.data).toEqual({ keyId: partner.id, webhookId: id, reason: 'gone' });
    await staff.create('B', 1);
    receiver.answer = (response) => response.writeHead(204).end();
    await own.update(id, { status: 'active' });
    await receiver.take(3);
    expect(receiver.names).toEqual(['A', 'A', 'B']);
  });

  it('end after five days of failures only', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    const { id } = await own.create({ url: receiver.url });
    await staff.create('A', 1);
    await untilState(id, { lastStatus: 500n });
    await turnBack(id, `failing_since = now() - ${FIVE_DAYS}, next_attempt_at = now()`);
    expect(await untilState(id, { status: 'disabled' })).toMatchObject({
      disabledReason: 'failing',
      nextAttemptAt: null,
    });
  });

  it('stop with their key, and go on with it', async () => {
    const { id } = await own.create({ url: receiver.url, types: ['pet.created'] });
    const ofAdmin = new WebhooksOf(admin);
    const untilAdmin = (reason: string | null) =>
      until(
        async () =>
          ((await ofAdmin.get(id)).body as { disabledReason: string | null }).disabledReason === reason,
      );
    const setAccess = (access: string) =>
      admin.send({ method: 'PATCH', path: `/v1/keys/${partner.id}`, body: { access } });
    await setAccess('read');
    await untilAdmin('key');
    for (const status of ['active', 'disabled', 'active'])
      expect((await ofAdmin.update(id, { status })).body).toMatchObject({ status: 'disabled' });
    expect((await ofAdmin.get(id)).body).toMatchObject({ disabledReason: 'key' });
    await staff.create('A', 1);
    await setAccess('order');
    await untilAdmin(null);
    await receiver.take(1);
    expect(receiver.names).toEqual(['A']);
    await admin.send({ method: 'DELETE', path: `/v1/keys/${partner.id}` });
    await staff.create('B', 1);
    await untilAdmin('key');
    expect(receiver.names).toEqual(['A']);
  });

  it('an outcome that comes after a rewind moves nothing', async () => {
    const start = cursorOf(await partner.get('/v1/events?cursor=latest'));
    const { id } = await own.create({ url: receiver.url, types: ['pet.created'] });
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(204).end());
    await staff.create('A', 1);
    await receiver.take(1);
    await own.update(id, { cursor: start });
    receiver.answer = (response) => response.writeHead(204).end();
    for (const answer of held) answer();
    await receiver.take(1, 1);
    await untilState(id, { waiting: 0n });
    expect(receiver.names).toEqual(['A', 'A']);
  });

  it('are signed by both secrets after a rotation', async () => {
    const { id, secret } = await own.create({ url: receiver.url });
    const { secret: newest } = (await own.rotate(id)).body as { secret: string };
    await staff.create('A', 1);
    const [first] = await receiver.take(1);
    expect([secret, newest].map((each) => isSignedBy(each, first!))).toEqual([true, true]);
    await turnBack(id, 'old_secret_ends_at = now()');
    await staff.create('B', 1);
    const [second] = await receiver.take(1, 1);
    expect([secret, newest].map((each) => isSignedBy(each, second!))).toEqual([false, true]);
  });

  it('can be tested, one at a time, also while disabled', async () => {
    const { id, secret } = await own.create({ url: receiver.url });
    await own.update(id, { status: 'disabled' });
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(418).end('secret text'));
    const first = own.test(id);
    const [message] = await receiver.take(1);
    expectError(await own.test(id), 'conflict');
    for (const answer of held) answer();
    expect((await first).body).toEqual({ status: 418n, error: null, durationMs: expect.anything() });
    expect(message!.event).toMatchObject({
      type: 'webhook.test',
      data: { keyId: partner.id, webhookId: id },
    });
    expect(isSignedBy(secret, message!)).toBe(true);
    await own.update(id, { url: 'http://10.0.0.1/' });
    expect((await own.test(id)).body).toMatchObject({ status: null, error: 'blocked_address' });
    const { id: theirs } = await new WebhooksOf(admin).create({ url: receiver.url });
    expectError(await own.test(theirs), 'webhook_not_found');
    expect((await own.get(id)).body).toMatchObject({ lastAttemptAt: null });
  });

  it('go on at the oldest event that is kept, and say so', async () => {
    const { id } = await own.create({ url: receiver.url, types: ['pet.created'] });
    await own.update(id, { status: 'disabled' });
    const feed = await new Feed(partner).toEnd();
    await staff.create('Old', 1);
    await feed.take(({ data }) => data.name === 'Old');
    await onDatabase(
      service.database,
      `with gone as (delete from events where position > 0 returning position, mark), last as (select * from gone order by position desc limit 1)
        update event_feed set removed_position = position, removed_mark = mark from last`,
    );
    await staff.create('New', 1);
    await own.update(id, { status: 'active' });
    await receiver.take(1);
    expect(receiver.names).toEqual(['New']);
    expect(await untilState(id, { waiting: 0n })).toMatchObject({ missed: true });
  });
});

describe.each(databaseKinds)('a service that sends nothing ($name)', (kind) => {
  const service = ownService(kind, { ...SETTINGS, WEBHOOK_DELIVERY: 'false' });
  const staff = storeOf(service, { access: 'manage' });
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });

  it('keeps what waits', async () => {
    const own = new WebhooksOf(staff);
    const { id } = await own.create({ url: receiver.url });
    await staff.create('A', 1);
    await until(async () => ((await own.get(id)).body as { waiting: bigint }).waiting === 1n);
    expectError(await own.test(id), 'conflict');
    expect(receiver.received).toEqual([]);
  });
});
