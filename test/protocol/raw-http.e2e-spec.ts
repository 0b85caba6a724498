import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { expectError, type Code } from '../support/http/expect-error.js';
import { CHUNKED, exchangeRaw, get, LAST, LENGTH, PET, post } from '../support/http/raw.js';
import { requestsLeft } from '../support/http/client.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { untilMinuteHasRoom } from '../support/until.js';

const TEXT = 'Content-Type: text/plain\r\n';
const line = (text: string, headers = 'Host: a\r\n') => `${text}\r\n${headers}\r\n`;
const chunked = (lines: string, chunks: string) =>
  line('POST /v1/pets HTTP/1.1', `Host: a\r\nKEY${lines}${CHUNKED}`) + chunks;
const KIB_70 = 'a'.repeat(70 * 1024);

/** Requests that are refused with bad_request before authentication. The fuzz test changes every byte of requests. */
const MALFORMED: [what: string, text: string][] = [
  ['garbage', 'garbage\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', line('FETCH /v1/pets HTTP/1.1')],
  ['a space in the target', line('GET /v1/pets ?limit=1 HTTP/1.1')],
  ['another version of HTTP', line('GET /v1/pets HTTP/3.0')],
  ['a space in the name of a header', get('X Y: 1\r\n')],
  ['a space before the colon', get('X : a\r\n')],
  ['a NUL byte in a header', get('X: a\0b\r\n')],
  ['a folded header', get('X: a\r\n b\r\n')],
  ['line ends without CR', 'GET /v1/pets HTTP/1.1\nHost: a\n\n'],
  ['a lone CR', get('Y: a\rX: b\r\n')],
  ['a length and chunks', post(`${LENGTH}${CHUNKED}`, '0\r\n\r\n')],
  ['two lengths', post(`${LENGTH}Content-Length: 5\r\n`, PET)],
  ['a bad chunk size', post(CHUNKED, 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', post(CHUNKED, '1\r\n{}\r\n0\r\n\r\n')],
  ['a transfer coding that does not end in chunks', post('Transfer-Encoding: gzip\r\n', 'abc')],
  ['chunks under another name', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
];
const LARGE: [what: string, text: string][] = [
  ['one header of 16 KiB', get(`${LAST}KEYX: ${'a'.repeat(16_384)}\r\n`)],
  ['a target of 16 KiB', `GET /v1/${'a'.repeat(16_384)}`],
  ['one header of 70 KiB', get(`X: ${KIB_70}\r\n`)],
  ['2,200 small headers', get(`${LAST}KEY${'X-Abc: def\r\n'.repeat(2_200)}`)],
];
const REFUSED: [Code, string, string][] = [
  ...MALFORMED.map((row): [Code, string, string] => ['bad_request', ...row]),
  ...LARGE.map((row): [Code, string, string] => ['headers_too_large', ...row]),
];

const target = (text: string) => line(`GET ${text} HTTP/1.1`, 'Host: a\r\nKEY');
/**
 * Requests that the parser accepts, so that a caller with a key gets this error and any other caller gets 401.
 * errors.e2e-spec.ts has the exact length of a body.
 */
const REFUSED_WITH_A_KEY: [Code, string, string][] = [
  ['unsupported_media_type', 'chunks without a type', chunked('', '1\r\n{\r\n0\r\n\r\n')],
  ['unsupported_media_type', 'text in chunks over 64 KiB', chunked(TEXT, `10001\r\n${' '.repeat(65_537)}`)],
  ['invalid_body', 'empty chunks', chunked(TEXT, '0\r\n\r\n')],
  ['unsupported_media_type', 'two types', post(`${TEXT}${LENGTH}`, PET)],
  ['body_too_large', 'a long body with Expect', post('Content-Length: 65537\r\nExpect: 100-continue\r\n')],
  ['body_too_large', 'chunks over 64 KiB', post(CHUNKED, `10001\r\n${' '.repeat(65_537)}`)],
];

/** Malformed requests that the parser accepts. They are not counted, and show the window of the address. */
const READABLE: [what: string, text: string][] = [
  ['no Host', line('GET /v1/pets HTTP/1.1', 'KEY')],
  ['two Hosts', get('Host: a\r\nKEY')],
  ['a bad escape in the path', target('/v1/pets/%zz')],
  ['a bad escape in the query', target('/v1/pets?limit=%ff')],
  ['a bad escape outside the API', target('/nowhere/%')],
  ['a fragment', target('/v1/pets#top')],
  ['a body whose end is unknown', post('Transfer-Encoding: gzip\r\n', PET)],
  ['a GET with such a body', get('Transfer-Encoding: identity\r\nKEY')],
  ['HTTP/0.9', line('GET /v1/pets HTTP/0.9', 'Host: a\r\nKEY')],
  ...['1.0', '2.0'].map((version): [string, string] => [
    `HTTP/${version} with a transfer encoding`,
    line(`POST /v1/pets HTTP/${version}`, `Host: a\r\nConnection: keep-alive\r\nKEY${CHUNKED}`) + '0\r\n\r\n',
  ]),
];

/** Unusual but valid requests. */
const ACCEPTED: [number, string, string][] = [
  [200, 'HTTP/1.0', line('GET /v1/pets HTTP/1.0', 'KEY')],
  [200, 'an empty Host', line('GET /v1/pets HTTP/1.1', 'Host:\r\nKEY')],
  [200, 'a user and a port', target('http://:p@[::1]:80/v1/pets')],
  [200, 'empty lines in front', `\r\n\r\n${get('KEY')}`],
  [304, 'HEAD with a matching ETag', line('HEAD /v1/pets HTTP/1.1', 'Host: a\r\nIf-None-Match: *\r\nKEY')],
  [200, '1,000 small headers', get(`KEY${'X: a\r\n'.repeat(1_000)}`)],
  [404, 'empty chunks for an action', chunked('', '0\r\n\r\n').replace('pets', 'store/orders/0/approve')],
  [201, 'chunks with extensions and a trailer', post(CHUNKED, `1d;a=b\r\n${PET}\r\n0\r\nX: a\r\n\r\n`)],
];

describe('the HTTP server', () => {
  const service = sharedService(anyKind);
  const store = storeOf(service);
  const exchange = (text: string, key = store.key) => exchangeRaw(service.url, text, key);
  /** The same, for requests that would leave the connection open, without 100 Continue. */
  const exchangeLast = async (text: string, key = store.key) =>
    (await exchange(text.replace('KEY', `KEY${LAST}`), key)).filter(({ status }) => status !== 100);

  it.each(REFUSED)('answers %s to %s and closes the connection', async (code, _what, text) => {
    const answers = await exchange(text);
    expect(answers).toHaveLength(1);
    expectError(answers[0]!, code);
    expect((await service.call({ path: '/health/live' })).status).toBe(200);
  });

  it.each(REFUSED_WITH_A_KEY)('answers %s to %s, and 401 without a key', async (code, _what, text) => {
    expectError((await exchangeLast(text))[0]!, code);
    expectError((await exchangeLast(text, ''))[0]!, 'missing_api_key');
  });

  it.each(ACCEPTED)('answers %i to %s', async (status, _what, text) => {
    expect((await exchangeLast(text)).map((answer) => answer.status)).toEqual([status]);
  });

  it.each(READABLE)('answers bad_request to %s, and counts nothing', async (_what, text) => {
    const left = async () => requestsLeft(await service.call({ path: '/nowhere' }));
    await untilMinuteHasRoom();
    const before = await left();
    for (const key of [store.key, '']) {
      const [answer] = await exchangeLast(text, key);
      expectError(answer!, 'bad_request');
      expect(requestsLeft(answer!)).toBe(before);
    }
    expect(await left()).toBe(before - 1);
  });

  it('limits the target and the headers to 16 KiB together', async () => {
    const statusWith = async (target: number, header: number) =>
      (
        await exchangeLast(
          get(`KEYX: ${'a'.repeat(header)}\r\n`).replace('pets', `pets?ids=${'1'.repeat(target)}`),
        )
      )[0]?.status;
    expect([await statusWith(8_000, 8_000), await statusWith(8_000, 8_400)]).toEqual([400, 431]);
  });
});
