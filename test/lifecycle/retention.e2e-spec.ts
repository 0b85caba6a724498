import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { distWith } from '../support/short-durations.js';
import { Service } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const KEYS = 1_201;

describe.each(databaseKinds)('the service over several days on $name', (kind) => {
  const clock = new StoppedClock();
  let database: TestDatabase;

  beforeAll(async () => {
    database = await kind.create();
    const env = { ...database.env, ...clock.env, USAGE_RETENTION_DAYS: String(RETENTION_DAYS) };
    const service = await Service.start(env, distWith({ closeWithinMs: 10_000, taskPauseMs: 60 }));
    await service.issueKey();
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
});
