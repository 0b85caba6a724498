import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { cleanUp } from '../support/clean-up.js';
import { callUnchecked, dayLeft, startPost } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { distWith } from '../support/short-durations.js';
import { Service } from '../support/service.js';
import { atOnce, until, untilDayHasRoom } from '../support/until.js';

/** Longer than a busy machine takes for the requests of a test. */
const SHUTDOWN_DELAY_MS = 4_000;
const PER_DAY = 1_000;
const CUT_OFF = 'cut off requests that did not end';

const PET = JSON.stringify({ name: 'Latecomer', categoryId: 1 });

/** Sends a request to create a pet, up to the middle of its body. */
async function halfRequest(url: string, key: string): Promise<ClientRequest> {
  const outgoing = await startPost(url, { path: '/v1/pets', key }, PET.length);
  outgoing.write(PET.slice(0, 10));
  return outgoing;
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', () => resolve(true));
  }).finally(() => socket.destroy());
}

describe('a stopping service', () => {
  afterEach(cleanUp);

  it('answers all requests during the shutdown delay and open ones after it, and aborts one that does not end', async () => {
    await untilDayHasRoom();
    const database = await anyKind.create();
    const service = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) });
    const key = await service.issueKey();
    const lateKey = await service.issueKey({ perDay: PER_DAY });
    const agent = new Agent({ keepAlive: true });
    const paths = ['/v1/pets', '/v1/pets', '/v1/nothing', '/health/live', '/docs'];
    const answers = await Promise.all(paths.map((path) => callUnchecked(service.url, { path, key }, agent)));
    expect(answers.map(({ headers }) => headers.connection)).toEqual(paths.map(() => 'keep-alive'));
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    silent.on('error', () => silent.destroy());
    await once(silent, 'connect');
    // The connections above stay open and idle. Other connections carry the requests below.
    const later = new Agent({ keepAlive: true });
    // Callers that obey Connection: close.
    const statuses: unknown[] = [];
    const lane = async () => {
      for (;;) {
        const { status, headers } = await callUnchecked(
          service.url,
          { path: '/v1/pets?limit=1', key },
          later,
        );
        statuses.push(status);
        if (headers.connection === 'close') return;
      }
    };
    const lanes = atOnce(8, lane);
    await Promise.race([lanes, until(() => statuses.length > 100)]);
    const signalled = performance.now();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      service.signal(signal);
      await service.untilLogged('draining');
    }
    await lanes;
    expect(new Set(statuses)).toEqual(new Set([200]));

    const ready = await service.call({ path: '/health/ready' });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect((await service.call({ path: '/health/live' })).status).toBe(200);
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing', '/docs', '/health/live']) {
      const { status, headers } = await callUnchecked(service.url, { path, key }, later);
      expect([path, headers.connection]).toEqual([path, 'close']);
      expect(status).toBeLessThan(500);
    }
    const body = { name: 'Last', categoryId: 1 };
    expect((await service.call({ method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);

    const half = await halfRequest(service.url, lateKey);
    await until(() => isRefused(service.url));
    half.end(PET.slice(10));
    const [answer] = (await once(half, 'response')) as [IncomingMessage];
    expect(answer).toMatchObject({ statusCode: 201, headers: { connection: 'close' } });
    expect(await text(answer)).toContain('"name":"Latecomer"');
    expect(await service.ended()).toBe(0);
    expect(performance.now() - signalled).toBeGreaterThanOrEqual(SHUTDOWN_DELAY_MS);
    expect(service.logged('draining')).toHaveLength(1);
    // Nothing waits for the idle connections until the deadline, which closes them.
    expect(service.logged(CUT_OFF)).toEqual([]);
    silent.destroy();
    agent.destroy();
    later.destroy();

    const next = await Service.start(database.env, distWith({ closeWithinMs: 500 }));
    const list = await next.call({ path: '/v1/pets', key: lateKey });
    expect(list.text).toContain('"name":"Latecomer"');
    // The day starts from the recorded late request. Usage also counts the list and this request.
    expect(dayLeft(list)).toBe(PER_DAY - 2);
    const usage = await next.call({ path: '/v1/usage?days=1', key: lateKey });
    expect(usage.body).toMatchObject([{ admitted: 3n }]);
    const endless = await halfRequest(next.url, lateKey);
    expect(await next.stop()).toBe(0);
    expect(endless.destroyed).toBe(true);
    expect(next.log).toContainEqual(expect.objectContaining({ level: 'warn', connections: 1, msg: CUT_OFF }));
  });
});
