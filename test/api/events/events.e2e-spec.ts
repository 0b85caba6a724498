import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { cursorOf, Feed } from '../../support/feed.js';
import { expectError } from '../../support/http/expect-error.js';
import { distWith } from '../../support/short-durations.js';
import { ownService } from '../../support/service.js';
import { storeOf } from '../../support/store.js';
import { until } from '../../support/until.js';

const kinds = (events: { type: string }[]) => events.map(({ type }) => type);

describe.each(databaseKinds)('the feed of events ($name)', (kind) => {
  // Settling and retention run all the time.
  const service = ownService(kind, {}, () => distWith({ closeWithinMs: 10_000, taskPauseMs: 20 }));
  const staff = storeOf(service, { plan: 'business', access: 'manage' });
  const partner = storeOf(service, { plan: 'business', access: 'order' });
  const other = storeOf(service, { plan: 'business', access: 'order' });
  const reader = storeOf(service, { plan: 'business', access: 'read' });

  it('tells the life of an animal and its orders, in the order of the changes', async () => {
    const feed = await new Feed(staff).toEnd();

    const pet = await staff.create('Rex', 9_007_199_254_740_993n);
    await staff.update(pet.id, { name: 'Rex II' });
    const order = await partner.placed(pet.id);
    await staff.transition(order.id, 'approve');
    await staff.transition(order.id, 'deliver');
    const removed = await staff.remove(pet.id);
    expect(removed.status).toBe(204);

    const events = await feed.take(8);
    expect(kinds(events)).toEqual([
      'pet.created',
      'pet.updated',
      'order.placed',
      'pet.updated',
      'order.approved',
      'order.delivered',
      'pet.updated',
      'pet.deleted',
    ]);
    const [created, renamed, placed, reserved, approved, delivered, sold, deleted] = events;
    expect(created!.data).toEqual(pet);
    expect(renamed!.data).toEqual({ ...pet, name: 'Rex II' });
    expect(placed!.data).toEqual(order);
    expect(reserved!.data).toMatchObject({ id: pet.id, status: 'pending' });
    expect(approved!.data).toMatchObject({ id: order.id, status: 'approved' });
    expect(delivered!.data).toMatchObject({ id: order.id, status: 'delivered' });
    expect(sold!.data).toEqual({ ...pet, name: 'Rex II', status: 'sold' });
    expect(deleted!.data).toEqual(sold!.data);
    expect(events.map(({ actor }) => actor)).toEqual([
      staff.id,
      staff.id,
      partner.id,
      partner.id,
      staff.id,
      staff.id,
      staff.id,
      staff.id,
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(8);
  });

  it('says nothing of requests that change nothing', async () => {
    const feed = await new Feed(staff).toEnd();
    const pet = await staff.create('Ida', 1);
    await feed.take(({ data }) => data.id === pet.id);

    await staff.update(pet.id, { name: 'Ida', status: 'available' });
    expect((await staff.update(pet.id, { status: 'nonsense' })).status).toBe(400);
    expect((await partner.order(-1n)).status).toBe(404);
    const once = { method: 'POST', path: '/v1/pets', headers: { 'Idempotency-Key': 'events-1' } };
    const first = await staff.send({ ...once, body: { name: 'Once', categoryId: 1 } });
    const again = await staff.send({ ...once, body: { name: 'Once', categoryId: 1 } });
    expect(again.headers['idempotent-replayed']).toBe('true');
    const last = await staff.create('Last', 1);

    const events = await feed.take(({ data }) => data.id === last.id);
    expect(events.map(({ data }) => data)).toEqual([first.body, last]);
  });

  it('shows a key its own orders only, and the actor to the store only', async () => {
    const feeds = await Promise.all([partner, other, reader].map((store) => new Feed(store).toEnd()));
    const pet = await staff.create('Mia', 1);
    const order = await partner.placed(pet.id);
    await partner.transition(order.id, 'cancel');
    const last = await staff.create('Last', 1);

    const [own, others, read] = await Promise.all(
      feeds.map((feed) => feed.take(({ data }) => data.id === last.id)),
    );
    expect(kinds(own!)).toEqual([
      'pet.created',
      'order.placed',
      'pet.updated',
      'order.cancelled',
      'pet.updated',
      'pet.created',
    ]);
    expect(kinds(others!)).toEqual(['pet.created', 'pet.updated', 'pet.updated', 'pet.created']);
    expect(kinds(read!)).toEqual(kinds(others!));
    expect([...own!, ...others!, ...read!].filter((event) => 'actor' in event)).toEqual([]);
  });

  it('filters by type and passes the others, page by page', async () => {
    const start = (await new Feed(staff).toEnd()).cursor!;
    const pets = await Promise.all(Array.from({ length: 5 }, (_, index) => staff.create(`P${index}`, 1)));
    for (const { id } of pets) await partner.placed(id);
    const last = await staff.create('Last', 1);
    await new Feed(staff).take(({ data }) => data.id === last.id);

    const page = await staff.get(`/v1/events?types=order.placed&limit=2&cursor=${start}`);
    expect(kinds(page.body as never)).toEqual(['order.placed', 'order.placed']);
    expect(page.headers.link).toBe(
      `</v1/events?limit=2&types=order.placed&cursor=${cursorOf(page)}>; rel="next"`,
    );
    // The types may change between pages.
    const rest = await staff.get(`/v1/events?types=pet.created&types=order.placed&cursor=${cursorOf(page)}`);
    expect(kinds(rest.body as never)).toEqual([
      'order.placed',
      'order.placed',
      'order.placed',
      'pet.created',
    ]);
    expect(rest.headers.link).toBeUndefined();
    const end = await staff.get(`/v1/events?cursor=${cursorOf(rest)}`);
    expect(end.body).toEqual([]);
    expect(cursorOf(end)).toBe(cursorOf(rest));
  });

  it.each([
    ['types=pet.sold', 'types: expected 1 to 20 of pet.created, '],
    ['types=', 'types: expected 1 to 20 of '],
    ['limit=101', 'limit: expected an integer from 1 to 100, got "101"'],
    ['order=desc', 'order'],
  ])('refuses %s', async (query, message) => {
    expect(expectError(await staff.get(`/v1/events?${query}`), 'invalid_parameter')).toContain(message);
  });

  it('refuses a cursor that does not decode', async () => {
    expectError(await staff.get('/v1/events?cursor=abc'), 'invalid_cursor');
  });

  it('answers 410 to a cursor of what retention has removed, and of a history that is gone', async () => {
    const feed = await new Feed(staff).toEnd();
    const old = feed.cursor!;
    const gone = await staff.create('Old', 1);
    await feed.take(({ data }) => data.id === gone.id);
    await onDatabase(service.database, `update events set at = at - interval '31 days'`);
    await until(async () => (await onDatabase(service.database, 'select from events')).length === 0);
    const removed = feed.cursor!;
    await staff.create('New', 1);

    expectError(await staff.get(`/v1/events?cursor=${old}`), 'event_expired');
    expect((await new Feed(staff).take(1)).map(({ data }) => data.name)).toEqual(['New']);
    expect((await feed.take(1)).map(({ data }) => data.name)).toEqual(['New']);

    // A backup of the moment before `New` is restored, and another animal gets its position.
    await onDatabase(service.database, `delete from events`);
    await onDatabase(
      service.database,
      'update event_feed set last_position = removed_position, last_mark = removed_mark',
    );
    await staff.create('Other', 1);
    const restored = new Feed(staff);
    restored.cursor = removed;
    expect((await restored.take(1)).map(({ data }) => data.name)).toEqual(['Other']);
    expectError(await staff.get(`/v1/events?cursor=${feed.cursor}`), 'event_expired');
  });
});
