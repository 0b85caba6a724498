import { beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { connectTo, databaseKinds } from '../support/databases.js';
import { percentileMs, putLoad, statusesOf } from '../support/http/load.js';
import { scrape, valueOf } from '../support/http/metrics.js';
import { ownService } from '../support/service.js';
import { until } from '../support/until.js';

const LOOP_DELAY_MS = 50;
/** A caller gets 503 within 3 s, whatever the fault of the database. */
const MAX_RESPONSE_MS = 3_000;

const embedded = databaseKinds.filter(({ name }) => name === 'embedded');

// multiplexer.spec.ts has how clients take turns, and what happens when one of them disconnects or is idle in a transaction.
describe.each(embedded)('another client of the $name database', (kind) => {
  const service = ownService(kind, { METRICS_PORT: '0' });
  let client: pg.Client;
  let key: string;

  beforeAll(async () => {
    key = await service.issueKey();
    await load();
    client = await connectTo(service);
    client.on('error', () => undefined);
  });

  const load = (forMs = 1_000) =>
    putLoad(service.url, { path: '/v1/pets?limit=1', key, connections: 4, forMs });

  /** The mean delay of the event loop since the last call. */
  const loopDelayMs = async () =>
    (valueOf(await scrape(service), 'nodejs_eventloop_lag_mean_seconds') ?? Number.NaN) * 1_000;

  /** Expects that callers get 200 or 503 in time, and that the event loop is free. */
  async function expectAnswers(): Promise<void> {
    await loopDelayMs();
    const samples = await load();
    const delayMs = await loopDelayMs();
    expect(['200', '503']).toEqual(expect.arrayContaining(Object.keys(statusesOf(samples))));
    expect(percentileMs(samples, 1)).toBeLessThan(MAX_RESPONSE_MS);
    expect(delayMs).toBeLessThan(LOOP_DELAY_MS);
  }

  const untilServed = () => until(async () => Object.keys(statusesOf(await load(200))).join() === '200');

  it('does not block the service with a long query', async () => {
    const long = client.query('select count(*) from generate_series(1, 2000000) n where n % 7 = 3');
    await expectAnswers();
    await long;
    await untilServed();
  });
});
