import { beforeEach, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { type Answer, dayLeft } from '../support/http/client.js';
import { OPERATIONS } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { petOf, storeOf } from '../support/store.js';
import { atOnce, until, untilHourHasRoom } from '../support/until.js';

const REX = { name: 'Rex', categoryId: 7 };
const ORDERS = '/v1/store/orders';

it('an Idempotency-Key is taken by every POST, but testWebhook and those whose answer holds a secret', () => {
  const without = OPERATIONS.filter(
    ({ method, parameters }) =>
      method === 'POST' && !parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  expect(without.map(({ operationId }) => operationId).sort()).toEqual(
    'createKey createWebhook rotateKey rotateWebhookSecret testWebhook'.split(' '),
  );
});

describe.each(databaseKinds)('the Idempotency-Key on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const other = storeOf(service);

  // Limits belong to a day.
  beforeEach(() => untilHourHasRoom());

  const post = (key: string | string[], body: unknown = REX, path = '/v1/pets', more = {}): Promise<Answer> =>
    store.send({ method: 'POST', path, body, headers: { 'idempotency-key': key, ...more } });
  const idOf = (answer: Answer) => petOf(answer).id;
  function expectReplay(answer: Answer, first: Answer): void {
    const seen = ({ status, text, headers: { location, 'content-type': type } }: Answer) => [
      status,
      text,
      location,
      type,
    ];
    expect(seen(answer)).toEqual(seen(first));
    expect([first, answer].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
  }

  it('replays the first response, not the current row, to a repeated request', async () => {
    const first = await post('once');
    expect(first.status).toBe(201);
    await store.update(idOf(first), { name: 'Max' });
    expectReplay(await post('once'), first);
    expect(petOf(await store.get(first.headers.location!)).name).toBe('Max');
    expect(idOf(await store.post(REX))).toBe(idOf(first) + 1n);
  });

  it('counts a replay against the limits and gives it its own headers', async () => {
    const first = await post('counted');
    const repeat = await post('counted', REX, '/v1/pets', { 'x-request-id': 'second' });
    expectReplay(repeat, first);
    expect(repeat.headers['x-request-id']).toBe('second');
    expect(dayLeft(repeat)).toBe(dayLeft(first) - 1);
  });

  it('is the same in quotes, and for another spelling of the path', async () => {
    const first = await post('same');
    expectReplay(await post('"same"'), first);
    expectReplay(await post('same', REX, '/%761/pets'), first);
  });

  it('may have 1 to 255 characters, and every printable one', async () => {
    const printable = '!#$%&()*+,-./:;<=>?@[]^_`{|}~ aZ09';
    for (const key of ['x', 'y'.repeat(255), `"${'z'.repeat(255)}"`, printable]) {
      const first = await post(key);
      expectReplay(await post(key), first);
    }
  });

  it.each([
    ['is empty', ''],
    ['is empty in quotes', '""'],
    ['has 256 characters', 'x'.repeat(256)],
    ['holds a tab', 'a\tb'],
    ['is not ASCII', 'caf\xe9'],
    ['is sent twice', ['a', 'b']],
  ])('refuses a key that %s', async (_what, key) => {
    expect(expectError(await post(key), 'invalid_idempotency_key')).toContain('Idempotency-Key');
  });

  it('refuses the same key with another body or path', async () => {
    const first = await post('mine', '{"name":"Rex","categoryId":7}');
    // The same JSON, not the same bytes.
    for (const body of ['{"name":"Rex","categoryId":8}', '{"name":"Rex", "categoryId":7}'])
      expectError(await post('mine', body), 'idempotency_key_reused');
    expectError(await post('mine', { petId: 1 }, ORDERS), 'idempotency_key_reused');
    expectReplay(await post('mine', '{"name":"Rex","categoryId":7}'), first);
  });

  it('stores no refusal', async () => {
    expectError(await post('fault', { name: 'Rex' }), 'invalid_body');
    expect((await post('fault')).status).toBe(201);
    expectError(await post('order', { petId: -1 }, ORDERS), 'pet_not_found');
    const order = `{"petId":${idOf(await store.post(REX))}}`;
    const first = await post('order', order, ORDERS);
    expect(first.status).toBe(201);
    expectReplay(await post('order', order, ORDERS), first);
  });

  it('belongs to the API key that used it', async () => {
    const first = await post('shared');
    const headers = { 'idempotency-key': 'shared' };
    const own = await other.send({ method: 'POST', path: '/v1/pets', body: REX, headers });
    expect(own.status).toBe(201);
    expect(idOf(own)).not.toBe(idOf(first));
  });

  it('covers orders and their actions', async () => {
    const body = `{"petId":${idOf(await store.post(REX))}}`;
    const order = await post('place', body, ORDERS);
    expectReplay(await post('place', body, ORDERS), order);
    const approve = `${order.headers.location}/approve`;
    const approved = await post('approve', '', approve);
    expect(approved.status).toBe(200);
    expectReplay(await post('approve', '', approve), approved);
    expectError(await post('approve-anew', '', approve), 'invalid_status_transition');
  });

  it('is ignored by operations that only read', async () => {
    const answer = await store.send({ path: '/v1/pets?limit=1', headers: { 'idempotency-key': '' } });
    expect(answer.status).toBe(200);
  });

  /** Sends a request many times at once, each until it is answered; expects one new animal. */
  async function expectOneOf(count: number, key: string): Promise<Answer> {
    const before = await countOfPets();
    const answers = await atOnce(count, () =>
      until(async () => {
        const attempt = await post(key);
        if (attempt.status === 201) return attempt;
        expectError(attempt, 'idempotency_key_in_use');
        expect(attempt.headers['retry-after']).toBe('1');
        return false;
      }),
    );
    const [first, ...more] = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
    expect(more).toEqual([]);
    for (const { text } of answers) expect(text).toBe(first!.text);
    expect(await countOfPets()).toBe(before + 1);
    return first!;
  }

  it('creates one row for 50 simultaneous requests', async () => {
    await expectOneOf(50, 'fifty');
  });

  it('replays to requests that arrive together after the first', async () => {
    // Pairs, as clients send that repeat after a timeout. More at once may be more than the service takes on (503).
    for (let pair = 0; pair < 200; pair += 1) {
      const key = `together-${String(pair)}`;
      const first = await post(key);
      for (const answer of await atOnce(2, () => post(key))) expectReplay(answer, first);
    }
  });

  it('is kept for 24 hours, and then expires', async () => {
    const first = await post('old');
    await moveBack('old', '23 hours 59 minutes 59 seconds');
    expectReplay(await post('old'), first);
    await moveBack('old', '24 hours 1 second');
    const anew = await expectOneOf(20, 'old');
    expect(idOf(anew)).not.toBe(idOf(first));
  });

  async function countOfPets(): Promise<number> {
    const [row] = await onDatabase<{ count: number }>(service, 'select count(*)::int as count from pets');
    return row!.count;
  }

  /** Moves the creation of a key back to this long before now. */
  async function moveBack(key: string, by: string): Promise<void> {
    await onDatabase(
      service,
      'update idempotency_keys set created_at = now() - $2::interval where idempotency_key = $1',
      [key, by],
    );
  }
});
