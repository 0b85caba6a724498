import { beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { dayLeft } from '../support/http/limits.js';
import { exchangeRaw, expectRawError } from '../support/http/raw-answers.js';
import { sharedService } from '../support/service.js';
import { until, untilDayHasRoom } from '../support/until.js';

describe('a request that the HTTP parser refuses', () => {
  const service = sharedService(anyKind);
  let keyLine: string;

  beforeAll(async () => {
    keyLine = `Authorization: Bearer ${await service.issueKey()}\r\n`;
  });

  const exchange = (text: string) => exchangeRaw(service.url, text, keyLine);

  it('with a malformed body gets its request id and headers, and a line in the log', async () => {
    const id = `own-${String(Date.now())}`;
    const lines = `Host: a\r\nX-Request-Id: ${id}\r\nKEYTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    for (const [method, path, stability] of [
      ['POST', '/v1/pets', 'stable'],
      ['POST', '/v1/store/orders', 'beta'],
      ['GET', '/v1/pets/1', 'stable'],
    ] as const) {
      const [answer, ...more] = await exchange(`${method} ${path} HTTP/1.1\r\n${lines}`);
      expectRawError(answer, 'bad_request');
      expect(more).toEqual([]);
      expect(answer!.headers.get('x-request-id')).toBe(id);
      expect(answer!.headers.get('x-stability')).toBe(stability);
      expect(answer!.headers.has('sunset')).toBe(method === 'GET');
      expect(answer!.headers.get('connection')).toBe('close');
    }
    const line = await until(() => service.log.find(({ requestId }) => requestId === id));
    expect(line).toMatchObject({ method: 'POST', route: '/v1/pets', status: 400, code: 'bad_request' });
  });

  it('with a malformed head gets a line in the log', async () => {
    const [answer] = await exchange('garbage\r\n\r\n');
    const requestId = answer!.headers.get('x-request-id');
    const line = await until(() => service.log.find((each) => each.requestId === requestId));
    expect(line).toMatchObject({
      caller: '127.0.0.1',
      method: null,
      route: null,
      status: 400,
      code: 'bad_request',
    });
  });

  it('with a malformed body counts once, because limits come before the body', async () => {
    const key = /ask_\w+/.exec(keyLine)![0];
    const left = async () => dayLeft(await call(service.url, { path: '/v1/pets', key }));
    await untilDayHasRoom();
    const before = await left();
    for (const type of ['application/json', 'text/plain']) {
      const [answer] = await exchange(
        `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      );
      expectRawError(answer, 'bad_request');
    }
    expect(await left()).toBe(before - 3);
  });

  it('gets no second response after an earlier one', async () => {
    const answers = await exchange(
      'POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n',
    );
    expect(answers).toHaveLength(1);
  });
});
