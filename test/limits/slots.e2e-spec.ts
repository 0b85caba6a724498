import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import pg from 'pg';
import { connectTo, describeOnServer } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { preload } from '../support/preload.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { atOnce, until } from '../support/until.js';

/** Operations under way, before the pace of answers is known (src/platform/http/requests/capacity.guard.ts). */
const SLOTS = 128;
/** At the pace of these tests. */
const SLOTS_AT_PACE = 64;
/** A key stays known for ten times as long, because the only connection cannot look it up while it waits for a lock. */
const SLOW_CLOCK = preload(`
  const nowMs = performance.now.bind(performance);
  performance.now = () => nowMs() / 10;
`);

describeOnServer('the places of operations', (kind) => {
  let holder: pg.Client;
  // Before the database is dropped.
  afterAll(() => holder.end());
  const service = ownService(kind, { ...SLOW_CLOCK, DATABASE_POOL_SIZE: '1' });
  const store = storeOf(service);

  beforeAll(async () => {
    holder = await connectTo(service);
  });

  const untilOneWaits = () =>
    until(async () => {
      const waiting = await holder.query(
        "select from pg_locks where not granted and relation = 'pets'::regclass",
      );
      return waiting.rowCount !== 0;
    });

  async function expectServed(): Promise<void> {
    // What the callers who left have asked for may still be under way.
    await until(async () => {
      const answers = await atOnce(SLOTS_AT_PACE, () => store.get('/v1/pets'));
      return answers.every(({ status }) => status === 200);
    });
  }

  it('are bounded: further operations get 503 at once, and everything else is answered', async () => {
    await holder.query('begin; lock table pets in access exclusive mode');
    const admitted = Array.from({ length: SLOTS }, () => store.get('/v1/pets'));
    await untilOneWaits();
    const refused = await until(async () => {
      const answer = await store.get('/v1/pets');
      return answer.status === 503 && answer;
    });
    expect(expectError(refused, 'service_unavailable')).toContain('overloaded');
    expect(refused.headers['retry-after']).toBe('1');
    expect((await store.get('/v1/nowhere')).status).toBe(404);
    await holder.query('rollback');
    // On a busy machine the lock may outlast the timeout of their statements.
    for (const { status } of await Promise.all(admitted)) expect([200, 503]).toContain(status);
  });

  it('are free again after every kind of response', async () => {
    const calls = [
      { path: '/v1/pets/77', status: 404 },
      { path: '/v1/pets?limit=0', status: 400 },
      { path: '/v1/pets', method: 'POST', body: {}, status: 400 },
      { path: '/v1/pets', method: 'HEAD', status: 200 },
      { path: '/v1/rate-limit', status: 200 },
    ];
    for (let round = 0; round < SLOTS / 4; round += 1) {
      for (const { status, ...asked } of calls) {
        expect((await store.send(asked)).status).toBe(status);
      }
    }
    await expectServed();
  });

  it('are free again after the caller has disconnected', async () => {
    const { hostname, port } = new URL(service.url);
    for (let round = 0; round < SLOTS / 4; round += 1) {
      await holder.query('begin; lock table pets in access exclusive mode');
      const sockets: Socket[] = Array.from({ length: SLOTS }, () => connect(Number(port), hostname));
      for (const socket of sockets) {
        socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.key}\r\n\r\n`);
      }
      await untilOneWaits();
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
      await holder.query('rollback');
    }
    await expectServed();
  });
});
