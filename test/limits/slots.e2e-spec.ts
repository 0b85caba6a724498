import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import pg from 'pg';
import { call } from '../support/http/client.js';
import { connectTo, describeOnServer, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';
import { until } from '../support/until.js';

/** Slots for reading requests with one database connection (src/overload/load-shedding.guard.ts). */
const SLOTS = 4;

describeOnServer('request slots', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  let holder: pg.Client;

  beforeAll(async () => {
    database = await kind.create();
    holder = await connectTo(database);
    service = await Service.start({ ...database.env, DATABASE_POOL_SIZE: '1' });
    key = await service.issueKey();
  });
  afterAll(async () => {
    await holder.end();
    await cleanUp();
  });

  const untilOneWaits = () =>
    until(async () => {
      const waiting = await holder.query(
        "select from pg_locks where not granted and relation = 'pets'::regclass",
      );
      return waiting.rowCount !== 0;
    });

  async function expectServed(): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: 2 * SLOTS }, () => call(service.url, { path: '/v1/pets', key })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }

  it('are free again after every kind of response', async () => {
    const calls = [
      { path: '/v1/pets/77', status: 404 },
      { path: '/v1/pets?limit=0', status: 400 },
      { path: '/v1/pets', method: 'POST', body: {}, status: 400 },
      { path: '/v1/pets', method: 'HEAD', status: 200 },
      { path: '/v1/rate-limit', status: 200 },
    ];
    for (let round = 0; round < SLOTS; round += 1) {
      for (const { status, ...asked } of calls) {
        expect((await call(service.url, { ...asked, key })).status).toBe(status);
      }
    }
    await expectServed();
  });

  it('are free again after the caller has disconnected', async () => {
    const { hostname, port } = new URL(service.url);
    for (let round = 0; round < SLOTS; round += 1) {
      await holder.query('begin; lock table pets in access exclusive mode');
      const sockets: Socket[] = Array.from({ length: SLOTS }, () => connect(Number(port), hostname));
      for (const socket of sockets) {
        socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      }
      await untilOneWaits();
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
      await holder.query('rollback');
    }
    await expectServed();
  });
});
