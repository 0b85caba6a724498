import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { callUnchecked, dayLeft } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { expectError, type Code } from '../support/http/expect-error.js';
import { CHUNKED, exchangeRaw, get, LAST, LENGTH, PET, post } from '../support/http/raw.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { until, untilDayHasRoom } from '../support/until.js';

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
// One more than the listeners of one event on a socket before Node warns of a leak.
const REQUESTS = 11;

describe('a connection', () => {
  const service = sharedService(anyKind);
  const store = storeOf(service);
  const exchange = (text: string, key = store.key) => exchangeRaw(service.url, text, key);
  const statusesOf = async (text: string, key?: string) =>
    (await exchange(text, key)).map(({ status }) => status);

  it('gets 100 Continue before a body, except for an unauthenticated caller', async () => {
    const waiting = `Expect: 100-continue\r\n${LENGTH}`;
    expect(await statusesOf(post(LAST + waiting, PET))).toEqual([100, 201]);
    for (const key of ['', `ask_${'a'.repeat(49)}`])
      expect(await statusesOf(post(waiting), key)).toEqual([401]);
  });

  it('is closed by a CONNECT', async () => {
    expect(await statusesOf('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n')).toEqual([]);
  });

  it('is closed by its 17th unanswered request', async () => {
    const text = get('KEY').repeat(17);
    expect((await exchange(text)).length).toBeLessThan(17);
    // One after the other, any number is answered.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let sent = 0; sent < 40; sent += 1)
      expect((await callUnchecked(service.url, { path: '/v1/pets', key: store.key }, agent)).status).toBe(
        200,
      );
    agent.destroy();
  });

  it('reads a body in 1,024 chunks, also where they span several reads, and is closed by one in over 2,048', async () => {
    const chunks = (count: number, spaces = 1) => {
      const chunk = `${spaces.toString(16)}\r\n${' '.repeat(spaces)}\r\n`;
      return post(CHUNKED + LAST, `${chunk.repeat(count)}1d\r\n${PET}\r\n0\r\n\r\n`);
    };
    // Node reads 64 KiB at a time: with the sizes of chunks, this body has more.
    for (const spaces of [1, 60, 62, 63]) expect(await statusesOf(chunks(1_023, spaces))).toEqual([201]);
    expect(await statusesOf(chunks(2_048))).toEqual([]);
  });

  it.each([
    ['an upgrade', get(`${UPGRADE}KEY`), 200],
    ['an upgrade that Connection does not name', get('Upgrade: websocket\r\nKEY'), 200],
    ['an upgrade to h2c', get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nKEY'), 200],
    ['chunks in HTTP/1.0', post(CHUNKED, '0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'), 400],
  ])('gets one response for %s and is closed', async (_what, text, status) => {
    const answers = await exchange(text + get('KEY'));
    expect(answers.map((answer) => [answer.status, answer.headers.connection])).toEqual([[status, 'close']]);
  });

  it('gets responses in order up to an upgrade', async () => {
    const texts = ['X-Request-Id: first\r\n', `${UPGRADE}X-Request-Id: second\r\n`, ''].map((lines) =>
      get(`KEY${lines}`),
    );
    const answers = await exchange(texts.join(''));
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(['first', 'second']);
  });

  it.each<[string, string, Code]>([
    ['garbage', 'garbage\r\n\r\n', 'bad_request'],
    ['a bad header', get('X Y: 1\r\n'), 'bad_request'],
    ['a bad chunk', post(CHUNKED, 'zz\r\n'), 'bad_request'],
    ['endless headers', `GET / HTTP/1.1\r\nX: ${'a'.repeat(70 * 1024)}`, 'headers_too_large'],
  ])('gets pipelined responses in order before the refusal of %s', async (_what, bad, code) => {
    const good = Array.from({ length: 15 }, (_, index) => `good-${index}`);
    const requests = good.map((id, index) => {
      const body = `{"name":"${id}","categoryId":7}`;
      const ownId = `X-Request-Id: ${id}\r\n`;
      // A create in between takes longer than the reads around it.
      return index % 3 === 0
        ? post(`${ownId}Content-Length: ${body.length}\r\n`, body)
        : get(index % 3 === 1 ? `${ownId}KEY` : ownId);
    });
    const answers = await exchange(requests.join('') + bad);
    expectError(answers.pop()!, code);
    expect(answers.map(({ status, headers }) => [status, headers['x-request-id']])).toEqual(
      good.map((id, index) => [[201, 200, 401][index % 3], id]),
    );
    for (const index of [0, 3, 6]) expect(answers[index]!.text).toContain(`"good-${index}"`);
  });

  it('gets one response with its headers for a malformed body, and is closed', async () => {
    const requestId = `own-${Date.now()}`;
    const head = post(`X-Request-Id: ${requestId}\r\n${CHUNKED}`).replace('/v1/pets', '/v1/store/orders');
    const [answer, ...more] = await exchange(`${head}zz\r\n`);
    expectError(answer!, 'bad_request');
    expect(more).toEqual([]);
    const expected = { 'x-request-id': requestId, 'x-stability': 'beta', connection: 'close' };
    expect(answer!.headers).toMatchObject(expected);
    const line = await until(() => service.log.find((each) => each.requestId === requestId));
    expect(line).toMatchObject({ route: '/v1/store/orders', status: 400, code: 'bad_request' });
  });

  it('gets no second response when a refused body turns out malformed', async () => {
    const text = post(CHUNKED, '1\r\n{\r\nzz\r\n').replace('application/json', 'text/plain');
    expect(await exchange(text)).toHaveLength(1);
  });

  it('has a line in the log for a malformed head', async () => {
    const [answer] = await exchange('garbage\r\n\r\n');
    const requestId = answer!.headers['x-request-id'];
    const line = await until(() => service.log.find((each) => each.requestId === requestId));
    expect(line).toMatchObject({ caller: '127.0.0.1', method: null, status: 400, code: 'bad_request' });
  });

  it('counts a request once if the parser refuses its body or the caller leaves', async () => {
    const left = async () => dayLeft(await store.get('/v1/pets'));
    await untilDayHasRoom();
    const before = await left();
    const [answer] = await exchange(post(CHUNKED, '2\r\n{}\r\nzz\r\n'));
    expectError(answer!, 'bad_request');
    expect(answer!.headers['x-ratelimit-limit']).toBeDefined();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(post(LENGTH, '{"name":').replace('KEY', `Authorization: Bearer ${store.key}\r\n`));
    await once(socket.resume(), 'close');
    expect(await left()).toBe(before - 3);
  });

  it('serves later requests after refused bodies', async () => {
    const broken = ['{', '', '[]', '{"name":1}', `{"a":"${'a'.repeat(60_000)}`];
    const requests = broken.map((body) => post(`Content-Length: ${body.length}\r\n`, body));
    expect(await statusesOf(requests.join('') + get(`KEY${LAST}`))).toEqual([400, 400, 400, 400, 400, 200]);
  });

  /** Sends a POST that goes on with its body after the response. */
  async function postOn(headers: OutgoingHttpHeaders, agent: Agent) {
    const outgoing = request(`${service.url}/v1/pets`, { agent, method: 'POST', headers });
    outgoing.write('x');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const port = outgoing.socket?.localPort;
    outgoing.end('x'.repeat(99_999));
    await Promise.all([once(outgoing, 'finish'), once(incoming.resume(), 'end')]);
    return { status: incoming.statusCode, headers: incoming.headers, port };
  }

  it.each([
    ['no key', 401, { 'content-type': 'application/json', 'content-length': '100000' }],
    ['no key, and chunks', 401, { 'content-type': 'application/json' }],
    ['a key, and a long body', 413, { 'content-type': 'application/json', 'content-length': '100000' }],
    ['a key, and another type in chunks', 415, { 'content-type': 'text/plain' }],
  ])('of a caller with %s gets %i before the body, and stays open', async (who, status, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const authorization = who.startsWith('no key') ? {} : { authorization: `Bearer ${store.key}` };
    const ports = new Set<number | undefined>();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const answer = await postOn({ ...headers, ...authorization }, agent);
      expect(answer.status).toBe(status);
      expect(answer.headers['x-ratelimit-limit']).toBeDefined();
      ports.add(answer.port);
    }
    agent.destroy();
    expect(ports.size).toBe(1);
    // Node reports a leak of listeners on stderr.
    expect(service.stderr).toBe('');
  });
});
