import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { percentileMs, putLoad, statusesOf } from '../support/http/load.js';
import { cleanUp, Service } from '../support/service.js';
import { reportFigures } from './support/figures.js';

const IDLE = 2_000;
const SLOW = 20;
const BYTE_EVERY_MS = 500;
/** The contract's timeouts for headers and for a whole request, each checked at least every 5 s. */
const HEADERS_MS = [9_900, 15_000] as const;
const REQUEST_MS = [29_900, 35_000] as const;
/** The tolerance for a busy machine. */
const LATE_MS = 2_000;

const LENGTH = 1_000;
const HEAD = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${LENGTH}\r\n`;

interface Ending {
  /** Since the client began to connect: at least as long as the service had the connection. */
  ms: number;
  /** Since the client noticed that it is connected. */
  connectedMs: number;
  received: string;
}

describe('slow clients', () => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    service = await Service.start(database.env);
    key = await service.issueKey();
  });
  afterAll(cleanUp);

  /** Connects, sends `first` and then single bytes. Resolves when the service has closed the connection. */
  function slowly(first: string, byte: string, afterwards?: (socket: Socket) => void): Promise<Ending> {
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve) => {
      let received = '';
      const begunMs = performance.now();
      let connectedAtMs = begunMs;
      let trickle: NodeJS.Timeout | undefined;
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
        connectedAtMs = performance.now();
        if (first !== '') socket.write(first);
        if (byte !== '') trickle = setInterval(() => socket.write(byte), BYTE_EVERY_MS);
        afterwards?.(socket);
      });
      socket.setEncoding('latin1').on('data', (text: string) => (received += text));
      socket.on('error', () => socket.destroy());
      socket.on('end', () => socket.end());
      socket.on('close', () => {
        clearInterval(trickle);
        const nowMs = performance.now();
        resolve({ ms: nowMs - begunMs, connectedMs: nowMs - connectedAtMs, received });
      });
    });
  }

  const many = (count: number, one: () => Promise<Ending>) => Promise.all(Array.from({ length: count }, one));
  const slowestMs = (endings: Ending[]) =>
    Math.round(Math.max(...endings.map(({ connectedMs }) => connectedMs)));

  function expectTimedOut(
    endings: Ending[],
    [fromMs, toMs]: readonly [number, number],
    answer = /^HTTP\/1\.1 408 .*"code":"request_timeout"/s,
  ): void {
    for (const { ms, connectedMs, received } of endings) {
      expect(received).toMatch(answer);
      expect(ms).toBeGreaterThanOrEqual(fromMs);
      expect(connectedMs).toBeLessThan(toMs + LATE_MS);
    }
  }

  it('are disconnected in time and do not affect other callers', async () => {
    const load = { path: '/v1/pets?limit=1', key, connections: 4, forMs: 3_000 };
    await putLoad(service.url, load);
    const before = await putLoad(service.url, load);

    const authorized = `${HEAD}Authorization: Bearer ${key}\r\n\r\n{`;
    const endings = {
      idle: many(IDLE, () => slowly('', '')),
      headers: many(SLOW, () => slowly('GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ', 'a')),
      body: many(SLOW, () => slowly(authorized, ' ')),
      withoutKey: many(SLOW, () => slowly(`${HEAD}\r\n{`, ' ')),
      // These clients have ended their sending side.
      halfHeaders: many(SLOW, () => slowly('GET /v1/pets HTTP/1.1\r\n', '', (socket) => socket.end())),
      halfBody: many(SLOW, () => slowly(authorized, '', (socket) => socket.end())),
    };
    const during = await putLoad(service.url, load);
    expect(Object.keys(statusesOf(during.samples))).toEqual(['200']);
    const addedMs = percentileMs(during.samples, 0.99) - percentileMs(before.samples, 0.99);

    const [halfHeaders, halfBody] = await Promise.all([endings.halfHeaders, endings.halfBody]);
    for (const { received } of halfHeaders) expect(received).toMatch(/^(?:$|HTTP\/1\.1 400 )/);
    for (const { received } of halfBody) expect(received).toMatch(/^(?:$|HTTP\/1\.1 400 )/);
    expect(slowestMs([...halfHeaders, ...halfBody])).toBeLessThan(HEADERS_MS[1] + LATE_MS);
    const [idle, headers] = await Promise.all([endings.idle, endings.headers]);
    expectTimedOut([...idle, ...headers], HEADERS_MS);
    const [body, withoutKey] = await Promise.all([endings.body, endings.withoutKey]);
    expectTimedOut(body, REQUEST_MS);
    // Answered once and at once; the timeout for the rest of the body is the same.
    expectTimedOut(withoutKey, REQUEST_MS, /^HTTP\/1\.1 401 (?!.*HTTP\/1\.1)/s);

    reportFigures(`${IDLE} idle and ${5 * SLOW} slow or half-open clients`, {
      'p99 before ms': percentileMs(before.samples, 0.99),
      'p99 during ms': percentileMs(during.samples, 0.99),
      'idle closed ms': slowestMs(idle),
      'slow headers closed ms': slowestMs(headers),
      'slow bodies closed ms': slowestMs([...body, ...withoutKey]),
      'half-open closed ms': slowestMs([...halfHeaders, ...halfBody]),
    });
    expect(addedMs).toBeLessThan(100);
  });
});
