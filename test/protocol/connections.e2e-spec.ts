import { beforeAll, describe, expect, it } from '@jest/globals';
import { callRaw } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { exchangeRaw } from '../support/http/raw-answers.js';
import { sharedService } from '../support/service.js';

const LAST = 'Connection: close\r\n';
const PET = '{"name":"Rex","categoryId":7}';
const LENGTH = `Content-Length: ${String(PET.length)}\r\n`;

const get = (lines: string) => `GET /v1/pets HTTP/1.1\r\n${lines}\r\n`;
/** `KEY` becomes the line that carries a valid key. */
const post = (lines: string, body = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: application/json\r\n${lines}\r\n${body}`;

describe('a connection', () => {
  const service = sharedService(anyKind);
  let keyLine: string;

  beforeAll(async () => {
    keyLine = `Authorization: Bearer ${await service.issueKey()}\r\n`;
  });

  const exchange = (text: string, key = keyLine) => exchangeRaw(service.url, text, key);
  /** The same, for requests that would leave the connection open. */
  const exchangeLast = (text: string, key = keyLine) => exchange(text.replace('KEY', `KEY${LAST}`), key);

  it('gets 100 Continue before a body, except for an unauthenticated caller', async () => {
    const waiting = `Expect: 100-continue\r\n${LENGTH}`;
    const answers = await exchangeLast(post(waiting, PET));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
    for (const key of ['', `Authorization: Bearer ask_${'a'.repeat(49)}\r\n`]) {
      const refused = await exchange(post(waiting), key);
      expect(refused.map(({ status }) => status)).toEqual([401]);
    }
  });

  it('gets 417 for an unknown expectation', async () => {
    const received = await callRaw(
      service.url,
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${LAST}Expect: a-miracle\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 417 /);
  });

  it('is closed after CONNECT', async () => {
    expect(await exchange('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toEqual([]);
  });

  it.each([
    ['an upgrade', get('Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nKEY'), 200],
    ['an upgrade that Connection does not name', get('Host: a\r\nUpgrade: websocket\r\nKEY'), 200],
    ['an upgrade to h2c', get('Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nKEY'), 200],
    ...['', 'Connection: keep-alive\r\n'].map((lines): [string, string, number] => [
      `chunks in HTTP/1.0 (${JSON.stringify(lines)})`,
      `POST /v1/pets HTTP/1.0\r\n${lines}KEYTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ]),
  ])('gets one response for %s and is closed', async (_what, text, status) => {
    const answers = await exchange(text + get('Host: a\r\nKEY'));
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(answers[0]!.headers.get('connection')).toBe('close');
  });

  it('gets responses in order up to an upgrade', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nX-Request-Id: second\r\n';
    const texts = ['X-Request-Id: first\r\n', upgrade, ''].map((lines) => get(`Host: a\r\nKEY${lines}`));
    const answers = await exchange(texts.join(''));
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(['first', 'second']);
  });

  it('is closed with more than 32 unanswered requests, unlike other connections', async () => {
    const many = get('Host: a\r\nKEY').repeat(200);
    const answers = await exchange(many);
    expect(answers.length).toBeLessThanOrEqual(32);
    expect(await exchangeLast(get('Host: a\r\nKEY'))).toHaveLength(1);
  });
});
