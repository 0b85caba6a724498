import { expect, it } from '@jest/globals';
import { DAY_MS, utcDay } from '../../src/platform/common/time.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { distWith } from '../support/short-durations.js';
import { Service } from '../support/service.js';
import { until, untilDayHasRoom } from '../support/until.js';

const RETENTION_DAYS = 30;
/** More rows of a day than are deleted at once. */
const KEYS = 1_201;

it.each(databaseKinds)('the service deletes older days of usage and key events on $name', async (kind) => {
  await untilDayHasRoom();
  const database = await kind.create();
  const env = { ...database.env, USAGE_RETENTION_DAYS: String(RETENTION_DAYS) };
  const service = await Service.start(env, distWith({ taskPauseMs: 60 }));
  const days = [RETENTION_DAYS + 1, RETENTION_DAYS, 0].map((ago) => utcDay(Date.now() - ago * DAY_MS));
  await onDatabase(
    database,
    'insert into usage_days select gen_random_uuid(), day, 1, 0 from generate_series(1, $2::int), unnest($1::date[]) day',
    [days, KEYS],
  );
  await issueKeys(service, 2);
  const [{ id }] = (await onDatabase<{ id: string }>(database, 'select id from key_events limit 1')) as [
    { id: string },
  ];
  await onDatabase(
    database,
    `update key_events set at = now() - ($2 || ' days 1 hour')::interval where id = $1`,
    [id, RETENTION_DAYS],
  );
  const daysOfUsage = async () => {
    const select = `select distinct to_char(day, 'YYYY-MM-DD') as day from usage_days order by day`;
    return (await onDatabase<{ day: string }>(database, select)).map(({ day }) => day);
  };
  await until(
    async () => (await onDatabase(database, 'select from key_events where id = $1', [id])).length === 0,
  );
  await until(async () => !(await daysOfUsage()).includes(days[0]!));
  expect(await daysOfUsage()).toEqual(days.slice(1));
  expect(await onDatabase(database, 'select from key_events')).not.toEqual([]);
});
