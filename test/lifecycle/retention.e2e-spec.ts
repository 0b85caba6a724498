import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { SHORT_SWEEPS } from '../support/preload.js';
import { cleanUp, Service } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';
import { Catalogue } from '../support/store.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const KEYS = 1_201;

describe.each(databaseKinds)('the service over several days on $name', (kind) => {
  const clock = new StoppedClock();
  let database: TestDatabase;
  let catalogue: Catalogue;

  beforeAll(async () => {
    database = await kind.create();
    const service = await Service.start({
      ...database.env,
      NODE_OPTIONS: `${clock.env.NODE_OPTIONS} ${SHORT_SWEEPS.NODE_OPTIONS}`,
      USAGE_RETENTION_DAYS: String(RETENTION_DAYS),
    });
    catalogue = new Catalogue(service.url, await service.issueKey());
  });
  afterAll(async () => {
    await cleanUp();
    clock.drop();
  });

  const dayIn = (days: number) => new Date(clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
  const addUsage = (day: string) =>
    onDatabase(
      database,
      'insert into usage_days select gen_random_uuid(), $1, 1, 0 from generate_series(1, $2::int)',
      [day, KEYS],
    );
  const daysOfUsage = async () => {
    const rows = await onDatabase<{ day: string }>(
      database,
      `select distinct to_char(day, 'YYYY-MM-DD') as day from usage_days order by day`,
    );
    return rows.map(({ day }) => day);
  };
  const countEvents = async () => (await onDatabase(database, 'select from key_events')).length;

  const post = async (idempotencyKey: string) => {
    const { status, text, headers } = await catalogue.send({
      method: 'POST',
      path: '/v1/pets',
      body: { name: 'Rex', categoryId: 7 },
      headers: { 'idempotency-key': idempotencyKey },
    });
    expect(status).toBe(201);
    return { text, isReplayed: headers['idempotent-replayed'] === 'true' };
  };
  const tables = async () => {
    const rows = await onDatabase<{ name: string }>(
      database,
      'select distinct tableoid::regclass::text as name from idempotency_keys order by name',
    );
    return rows.map(({ name }) => name);
  };
  const slot = () => `idempotency_keys_${Math.floor(clock.nowMs() / DAY_MS) % 4}`;

  it('deletes older days of usage (USAGE_RETENTION_DAYS) and key events', async () => {
    const [older, oldest, today] = [dayIn(-RETENTION_DAYS - 1), dayIn(-RETENTION_DAYS), dayIn(0)];
    await addUsage(oldest);
    await addUsage(today);
    await addUsage(older);
    await until(async () => !(await daysOfUsage()).includes(older));
    expect(await daysOfUsage()).toEqual([oldest, today]);
    expect(await countEvents()).toBeGreaterThan(0);
    clock.turn(RETENTION_DAYS * DAY_MS);
    await until(async () => (await daysOfUsage()).length === 1);
    expect(await daysOfUsage()).toEqual([today]);
    clock.turn(2 * DAY_MS);
    await until(async () => (await countEvents()) === 0);
  });

  // The embedded database uses the clock of the process.
  if (kind.name === 'embedded') {
    it('keeps an Idempotency-Key for 24 hours over midnight, and empties the slot of its day afterwards', async () => {
      // A minute before midnight.
      clock.turn(DAY_MS - (clock.nowMs() % DAY_MS) - MINUTE_MS);
      const first = await post('late');
      const firstSlot = slot();
      expect(await tables()).toEqual([firstSlot]);
      clock.turn(2 * MINUTE_MS);
      expect(await post('late')).toEqual({ text: first.text, isReplayed: true });
      expect((await post('early')).isReplayed).toBe(false);
      expect(await tables()).toEqual([firstSlot, slot()].sort());
      clock.turn(DAY_MS - 2 * MINUTE_MS - 1);
      expect(await post('late')).toEqual({ text: first.text, isReplayed: true });
      clock.turn(1);
      const anew = await post('late');
      expect(anew.isReplayed).toBe(false);
      expect(anew.text).not.toBe(first.text);
      expect(await post('late')).toEqual({ text: anew.text, isReplayed: true });
      // Both keys are of the second day now, and are removed with it.
      expect(await tables()).toEqual([slot()]);
      clock.turn(DAY_MS + 2 * MINUTE_MS);
      await post('next day');
      expect(await tables()).toHaveLength(2);
      clock.turn(60 * MINUTE_MS);
      await until(async () => (await tables()).length === 1);
    });
  }
});
