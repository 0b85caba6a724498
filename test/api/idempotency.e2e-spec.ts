import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Catalogue, type PetShape } from '../support/store.js';
import { call, type Answer } from '../support/http/client.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { dayLeft } from '../support/http/limits.js';
import { sharedService } from '../support/service.js';
import { until, untilHourHasRoom } from '../support/until.js';

const DAY_MS = 86_400_000;
const REX = { name: 'Rex', categoryId: 7 };

describe.each(databaseKinds)('the Idempotency-Key on $name', (kind) => {
  const service = sharedService(kind);
  let catalogue: Catalogue;

  beforeAll(async () => {
    catalogue = new Catalogue(service.url, await service.issueKey());
  });
  // Slots and limits belong to a day, and a slot is emptied in the hour after midnight.
  beforeEach(() => untilHourHasRoom());

  const post = (idempotencyKey: string | string[], body: unknown = REX, path = '/v1/pets'): Promise<Answer> =>
    catalogue.send({ method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey } });
  const idOf = (answer: Answer) => (answer.body as unknown as PetShape).id;

  it('replays the first response to a repeated request', async () => {
    const first = await post('once');
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    // The first response is stored, not the current row.
    await catalogue.send({ method: 'PATCH', path: `/v1/pets/${idOf(first)}`, body: { name: 'Max' } });
    const repeat = await post('once');
    expect(repeat.status).toBe(201);
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers.location).toBe(first.headers.location);
    expect(repeat.headers['content-type']).toBe(first.headers['content-type']);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    const { text } = await catalogue.send({ path: `/v1/pets/${idOf(first)}` });
    expect(text).toContain('Max');
    const next = await catalogue.post(REX);
    expect(idOf(next)).toBe(idOf(first) + 1n);
  });

  it('counts a replay against the limits and gives it its own headers', async () => {
    const first = await post('counted');
    const repeat = await catalogue.send({
      method: 'POST',
      path: '/v1/pets',
      body: REX,
      headers: { 'idempotency-key': 'counted', 'x-request-id': 'second' },
    });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.headers['x-request-id']).toBe('second');
    expect(first.headers['x-request-id']).not.toBe('second');
    expect(dayLeft(repeat)).toBe(dayLeft(first) - 1);
  });

  it('treats a bare and a quoted key as the same key', async () => {
    const bare = await post('same');
    const quoted = await post('"same"');
    expect(quoted.text).toBe(bare.text);
    expect(quoted.headers['idempotent-replayed']).toBe('true');
  });

  it.each([
    ['1 character', 'x'],
    ['255 characters', 'y'.repeat(255)],
    ['255 characters in quotes', `"${'z'.repeat(255)}"`],
    ['every printable character', '!#$%&()*+,-./:;<=>?@[]^_`{|}~ aZ09'],
  ])('accepts a key of %s', async (_what, idempotencyKey) => {
    expect((await post(idempotencyKey)).status).toBe(201);
    expect((await post(idempotencyKey)).headers['idempotent-replayed']).toBe('true');
  });

  it.each([
    ['is empty', ''],
    ['is empty in quotes', '""'],
    ['has 256 characters', 'x'.repeat(256)],
    ['holds a tab', 'a\tb'],
    ['is not ASCII', 'caf\xe9'],
    ['is sent twice', ['a', 'b']],
  ])('refuses a key that %s', async (_what, idempotencyKey) => {
    expect(expectError(await post(idempotencyKey), 'invalid_idempotency_key')).toContain('Idempotency-Key');
  });

  it('refuses the same key with another body or path', async () => {
    await post('mine', '{"name":"Rex","categoryId":7}');
    expectError(await post('mine', '{"name":"Rex","categoryId":8}'), 'idempotency_key_reused');
    // The same JSON, not the same bytes.
    expectError(await post('mine', '{"name":"Rex", "categoryId":7}'), 'idempotency_key_reused');
    expectError(await post('mine', { petId: 1 }, '/v1/store/orders'), 'idempotency_key_reused');
    expect((await post('mine', '{"name":"Rex","categoryId":7}')).headers['idempotent-replayed']).toBe('true');
  });

  it('treats another spelling of the path as the same request', async () => {
    const first = await post('path');
    const repeat = await post('path', REX, '/%761/pets');
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
  });

  it('validates the request before the key, and stores no refusal', async () => {
    expectError(await post('fault', { name: 'Rex' }), 'invalid_body');
    expect((await post('fault')).status).toBe(201);
    expectError(await post('fault', { name: 'Rex' }), 'invalid_body');
    expectError(await post('order', { petId: -1 }, '/v1/store/orders'), 'pet_not_found');
    const petId = idOf(await catalogue.post(REX));
    const order = await post('order', `{"petId":${petId}}`, '/v1/store/orders');
    expect(order.status).toBe(201);
    expect(order.headers['idempotent-replayed']).toBeUndefined();
  });

  it('belongs to the API key that used it', async () => {
    const first = await post('shared');
    const other = await call(service.url, {
      method: 'POST',
      path: '/v1/pets',
      key: await service.issueKey(),
      body: REX,
      headers: { 'idempotency-key': 'shared' },
    });
    expect(other.status).toBe(201);
    expect(idOf(other)).not.toBe(idOf(first));
  });

  it('covers orders and their actions', async () => {
    const petId = idOf(await catalogue.post(REX));
    const order = await post('place', `{"petId":${petId}}`, '/v1/store/orders');
    const again = await post('place', `{"petId":${petId}}`, '/v1/store/orders');
    expect([again.status, again.text, again.headers.location]).toEqual([
      201,
      order.text,
      order.headers.location,
    ]);
    const approve = `${order.headers.location}/approve`;
    const approved = await post('approve', '', approve);
    expect(approved.status).toBe(200);
    const replayed = await post('approve', '', approve);
    expect([replayed.status, replayed.text, replayed.headers['idempotent-replayed']]).toEqual([
      200,
      approved.text,
      'true',
    ]);
    expectError(await post('approve-anew', '', approve), 'invalid_status_transition');
  });

  it('is ignored by operations that only read', async () => {
    const answer = await catalogue.send({ path: '/v1/pets?limit=1', headers: { 'idempotency-key': '' } });
    expect(answer.status).toBe(200);
  });

  it('creates one row and 50 equal responses for 50 simultaneous requests', async () => {
    const before = await countOf('pets');
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async () => {
        let refusals = 0;
        const answer = await until(async () => {
          const attempt = await post('fifty');
          if (attempt.status === 201) return attempt;
          expectError(attempt, 'idempotency_key_in_use');
          expect(attempt.headers['retry-after']).toBe('1');
          refusals += 1;
          return undefined;
        });
        return { answer, refusals };
      }),
    );
    expect(new Set(outcomes.map(({ answer }) => answer.text)).size).toBe(1);
    const replays = outcomes.filter(({ answer }) => answer.headers['idempotent-replayed'] === 'true');
    expect(replays).toHaveLength(49);
    expect(await countOf('pets')).toBe(before + 1);
  });

  it('expires after 24 hours', async () => {
    const first = await post('old');
    await age('old', '23 hours 59 minutes');
    expect((await post('old')).text).toBe(first.text);
    await age('old', '24 hours 1 second');
    const anew = await post('old');
    expect(anew.status).toBe(201);
    expect(idOf(anew)).not.toBe(idOf(first));
    expect((await post('old')).text).toBe(anew.text);
  });

  it('has one row, in the slot of the day of its first request', async () => {
    const first = await post('over midnight');
    expect(await slotsOf('over midnight')).toEqual([slotOfDay(0)]);
    await moveBack('over midnight', '23 hours 59 minutes 59 seconds');
    const [yesterdays] = await slotsOf('over midnight');
    expect((await post('over midnight')).text).toBe(first.text);
    expect(await slotsOf('over midnight')).toEqual([yesterdays]);
    await moveBack('over midnight', '24 hours 1 second');
    expect(await slotsOf('over midnight')).toEqual([slotOfDay(-1)]);
    const before = await countOf('pets');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        until(async () => {
          const answer = await post('over midnight');
          return answer.status === 201 && answer;
        }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.text).not.toBe(first.text);
    expect(await countOf('pets')).toBe(before + 1);
    expect(await slotsOf('over midnight')).toEqual([slotOfDay(0)]);
  });

  it('expires with its slot two days later, without a change to other slots', async () => {
    await post('kept');
    for (const days of [1, 2, 3]) {
      await post(`${days} days old`);
      await moveBack(`${days} days old`, `${days} days`);
    }
    await onDatabase(service, 'select truncate_expired_idempotency_keys()');
    expect(await slotsOf('kept')).toEqual([slotOfDay(0)]);
    expect(await slotsOf('1 days old')).toEqual([slotOfDay(-1)]);
    // One slot a day, with an hour's margin after midnight.
    const [emptied, next] = new Date().getUTCHours() === 0 ? [3, 2] : [2, 3];
    expect(await slotsOf(`${emptied} days old`)).toEqual([]);
    expect(await slotsOf(`${next} days old`)).toEqual([slotOfDay(-next)]);
  });

  async function countOf(table: string): Promise<number> {
    const select = `select count(*)::int as count from ${table}`;
    const [row] = await onDatabase<{ count: number }>(service, select);
    return row!.count;
  }

  async function slotsOf(idempotencyKey: string): Promise<string[]> {
    const rows = await onDatabase<{ slot: string }>(
      service,
      'select tableoid::regclass::text as slot from idempotency_keys where idempotency_key = $1',
      [idempotencyKey],
    );
    return rows.map(({ slot }) => slot);
  }

  const slotOfDay = (days: number) => `idempotency_keys_${(Math.floor(Date.now() / DAY_MS) + days) % 4}`;

  /** Stores a key again with an earlier creation time. */
  async function moveBack(idempotencyKey: string, by: string): Promise<void> {
    await onDatabase(
      service,
      `insert into idempotency_keys (key_id, idempotency_key, fingerprint, status, body, location, created_at)
        select key_id, idempotency_key, fingerprint, status, body, location, now() - interval '${by}'
        from idempotency_keys where idempotency_key = '${idempotencyKey}'`,
    );
  }

  async function age(idempotencyKey: string, by: string): Promise<void> {
    await onDatabase(
      service,
      `update idempotency_keys set created_at = now() - interval '${by}' where idempotency_key = '${idempotencyKey}'`,
    );
  }
});
