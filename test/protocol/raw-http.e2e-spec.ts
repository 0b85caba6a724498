import { beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { exchangeRaw, expectRawError as expectError } from '../support/http/raw-answers.js';
import { sharedService } from '../support/service.js';

const STATUS_OF: Record<string, number> = { bad_request: 400, uri_too_long: 414, headers_too_large: 431 };
const TYPE = 'Content-Type: application/json\r\n';
const LAST = 'Connection: close\r\n';
const PET = '{"name":"Rex","categoryId":7}';
const LENGTH = `Content-Length: ${String(PET.length)}\r\n`;

const get = (lines: string) => `GET /v1/pets HTTP/1.1\r\n${lines}\r\n`;
/** `KEY` becomes the line that carries a valid key. */
const post = (lines: string, body = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEY${TYPE}${lines}\r\n${body}`;

const TEXT = 'Content-Type: text/plain\r\n';
const chunked = (lines: string, chunks: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEY${lines}Transfer-Encoding: chunked\r\n\r\n${chunks}`;

/** Requests that are refused before authentication. client-error.spec.ts has a target of 70 KiB, whose packets decide the code. */
const REFUSED: [string, string, string][] = [
  ['bad_request', 'garbage', 'garbage\r\n\r\n'],
  ['bad_request', 'NUL bytes', '\0\0\0\0\r\n\r\n'],
  ['bad_request', 'a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['bad_request', 'an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['bad_request', 'an unknown method', 'FETCH /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a method in lower case', 'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'an endless method', `${'A'.repeat(30_000)} / HTTP/1.1\r\n\r\n`],
  ['bad_request', 'no target', 'GET  HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a target without a slash', 'GET v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a space in the target', 'GET /v1/pets ?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a NUL byte in the target', 'GET /v1/pe\0ts HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a byte beyond ASCII in the target', 'GET /v1/pets/\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bad_request', 'another version of HTTP', 'GET /v1/pets HTTP/3.0\r\nHost: a\r\n\r\n'],
  ['bad_request', 'a space in the name of a header', get('Host: a\r\nX Y: 1\r\n')],
  ['bad_request', 'a space before the colon', get('Host : a\r\n')],
  ['bad_request', 'a header without a colon', get('Host: a\r\nX\r\n')],
  ['bad_request', 'a NUL byte in a header', get('Host: a\r\nX: a\0b\r\n')],
  ['bad_request', 'a folded header', get('Host: a\r\nX: a\r\n b\r\n')],
  ['bad_request', 'line ends without CR', 'GET /v1/pets HTTP/1.1\nHost: a\n\n'],
  ['bad_request', 'a lone CR', get('Host: a\rX: b\r\n')],
  ['bad_request', 'a length and chunks', post(`${LENGTH}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n')],
  ['bad_request', 'two lengths', post(`${LENGTH}Content-Length: 5\r\n`, PET)],
  ['bad_request', 'a negative length', post('Content-Length: -1\r\n')],
  ['bad_request', 'a length that is not a number', post('Content-Length: 0x1d\r\n', PET)],
  ['bad_request', 'a length of 30 digits', post(`Content-Length: ${'9'.repeat(30)}\r\n`)],
  ['bad_request', 'a bad chunk size', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  [
    'bad_request',
    'a bad second chunk size',
    post('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n-1\r\n}\r\n0\r\n\r\n'),
  ],
  [
    'bad_request',
    'a chunk longer than its size',
    post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n'),
  ],
  [
    'bad_request',
    'a transfer coding that does not end in chunks',
    post('Transfer-Encoding: gzip\r\n', 'abc'),
  ],
  ['bad_request', 'chunks under another name', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
  ['headers_too_large', 'one header of 16 KiB', get(`Host: a\r\n${LAST}KEYX: ${'a'.repeat(16_384)}\r\n`)],
  ['headers_too_large', 'one header of 30 KiB', get(`Host: a\r\n${LAST}X: ${'a'.repeat(30 * 1024)}\r\n`)],
  ['headers_too_large', 'one header of 70 KiB', get(`Host: a\r\nX: ${'a'.repeat(70 * 1024)}\r\n`)],
  ['headers_too_large', 'a name of 70 KiB', get(`Host: a\r\n${'a'.repeat(70 * 1024)}: 1\r\n`)],
  ['headers_too_large', '2,200 small headers', get(`Host: a\r\n${LAST}KEY${'X-Abc: def\r\n'.repeat(2_200)}`)],
  ['headers_too_large', '10,000 small headers', get(`Host: a\r\n${LAST}${'a: b\r\n'.repeat(10_000)}`)],
];

/** Requests that the parser accepts, so that a caller with a key gets this error and any other caller gets 401. */
const REFUSED_WITH_A_KEY: [string, number, string, string][] = [
  ['bad_request', 400, 'no Host', get('KEY')],
  ['bad_request', 400, 'two Hosts', get('Host: a\r\nHost: a\r\nKEY')],
  ...['http:///v1/pets', 'HTTPS://:80/v1/pets', 'http://u:p@/v1/pets'].map(
    (target): [string, number, string, string] => [
      'bad_request',
      400,
      target,
      `GET ${target} HTTP/1.1\r\nHost: a\r\nKEY\r\n`,
    ],
  ),
  [
    'uri_too_long',
    414,
    'a target of 8,193 bytes',
    `GET ${'/v1/'.padEnd(8_193, 'a')} HTTP/1.1\r\nHost: a\r\nKEY\r\n`,
  ],
  [
    'uri_too_long',
    414,
    'a target of 40 KiB',
    `GET ${'/v1/'.padEnd(40 * 1024, 'a')} HTTP/1.1\r\nHost: a\r\nKEY\r\n`,
  ],
  [
    'route_not_found',
    404,
    'a target of 8,192 bytes',
    `GET ${'/v1/'.padEnd(8_192, 'a')} HTTP/1.1\r\nHost: a\r\nKEY\r\n`,
  ],
  ['unsupported_media_type', 415, 'chunks without a type', chunked('', '1\r\n{\r\n0\r\n\r\n')],
  [
    'unsupported_media_type',
    415,
    'text in chunks over 64 KiB',
    chunked(TEXT, `10001\r\n${' '.repeat(65_537)}`),
  ],
  ['invalid_body', 400, 'empty chunks', chunked(TEXT, '0\r\n\r\n')],
  ['unsupported_media_type', 415, 'two types', post(`Content-Type: text/plain\r\n${LENGTH}`, PET)],
  ['invalid_body', 400, 'no length and no chunks', post('')],
  ['body_too_large', 413, 'a length over 64 KiB', post('Content-Length: 65537\r\n')],
  [
    'body_too_large',
    413,
    'a length over 64 KiB with Expect',
    post('Content-Length: 65537\r\nExpect: 100-continue\r\n'),
  ],
  [
    'body_too_large',
    413,
    'chunks over 64 KiB',
    post('Transfer-Encoding: chunked\r\n', `10001\r\n${' '.repeat(65_537)}`),
  ],
  [
    'bad_request',
    400,
    'HTTP/1.0 with a transfer encoding',
    'POST /v1/pets HTTP/1.0\r\nConnection: keep-alive\r\nKEYTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['bad_request', 400, 'HTTP/0.9', 'GET /v1/pets HTTP/0.9\r\nHost: a\r\nKEY\r\n'],
  [
    'bad_request',
    400,
    'HTTP/2.0 with a transfer encoding',
    'POST /v1/pets HTTP/2.0\r\nHost: a\r\nKEYTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
];

/** Unusual but valid requests. */
const ACCEPTED: [number, string, string][] = [
  [200, 'HTTP/1.0', 'GET /v1/pets HTTP/1.0\r\nKEY\r\n'],
  [200, 'an empty Host', get('Host:\r\nKEY')],
  [200, 'a user and a port', 'GET http://:p@[::1]:80/v1/pets HTTP/1.1\r\nHost: a\r\nKEY\r\n'],
  [200, 'empty lines in front', `\r\n\r\n${get('Host: a\r\nKEY')}`],
  [200, 'a request to upgrade', get('Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nKEY')],
  [304, 'HEAD with a matching ETag', 'HEAD /v1/pets HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\nKEY\r\n'],
  [200, '1,000 small headers', get(`Host: a\r\nKEY${'X: a\r\n'.repeat(1_000)}`)],
  [
    404,
    'empty chunks for an action',
    'POST /v1/store/orders/1/approve HTTP/1.1\r\nHost: a\r\nKEYTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    201,
    'chunks with extensions and a trailer',
    post('Transfer-Encoding: chunked\r\n', `1d;a=b\r\n${PET}\r\n0\r\nX: a\r\n\r\n`),
  ],
];

describe('the HTTP server', () => {
  const service = sharedService(anyKind);
  let keyLine: string;

  beforeAll(async () => {
    // These tests do not depend on the kind of database.
    keyLine = `Authorization: Bearer ${await service.issueKey()}\r\n`;
  });

  const exchange = (text: string, key = keyLine) => exchangeRaw(service.url, text, key);
  /** The same, for requests that would leave the connection open. */
  const exchangeLast = (text: string, key = keyLine) =>
    exchange(text.replace('KEY', 'KEYConnection: close\r\n'), key);

  it.each(REFUSED)('answers %s to %s and closes the connection', async (code, _what, text) => {
    const answers = await exchange(text);
    expect(answers).toHaveLength(1);
    expectError(answers[0], code);
    expect(answers[0]!.status).toBe(STATUS_OF[code]);
    expect((await call(service.url, { path: '/health/live' })).status).toBe(200);
  });

  it.each(REFUSED_WITH_A_KEY)(
    'answers %s (%i) to %s, and 401 without a key',
    async (code, status, _what, text) => {
      const [answer] = (await exchangeLast(text)).filter((each) => each.status !== 100);
      expectError(answer, code);
      expect(answer!.status).toBe(status);
      const [withoutKey] = (await exchangeLast(text, '')).filter((each) => each.status !== 100);
      expectError(withoutKey, 'missing_api_key');
      expect(withoutKey!.status).toBe(401);
    },
  );

  it.each(ACCEPTED)('answers %i to %s', async (status, _what, text) => {
    expect((await exchangeLast(text)).map((answer) => answer.status)).toEqual([status]);
  });

  it('limits the lines of all headers to 16 KiB together', async () => {
    const rest = `Host: a\r\nConnection: close\r\nX: \r\n${keyLine}`.length;
    const statusWith = async (bytes: number) =>
      (await exchangeLast(get(`Host: a\r\nKEYX: ${'a'.repeat(bytes - rest)}\r\n`)))[0]?.status;
    expect(await statusWith(16_384)).toBe(200);
    expect(await statusWith(16_385)).toBe(431);
  });

  it.each([
    ['garbage', 'garbage\r\n\r\n', [400, 'bad_request']],
    ['a bad header', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n', [400, 'bad_request']],
    ['a bad chunk', post('Transfer-Encoding: chunked\r\n', 'zz\r\n'), [400, 'bad_request']],
    ['endless headers', `GET / HTTP/1.1\r\nX: ${'a'.repeat(70 * 1024)}`, [431, 'headers_too_large']],
  ])('answers pipelined requests in order before it refuses %s', async (_what, bad, [status, code]) => {
    // With the bad one, as many as a connection may have unanswered.
    const good = Array.from({ length: 31 }, (_, index) => `good-${String(index)}`);
    const requests = good.map((id, index) => {
      const body = `{"name":"${id}","categoryId":7}`;
      const lines = `X-Request-Id: ${id}\r\nContent-Length: ${String(body.length)}\r\n`;
      // A create in between takes longer than the reads around it.
      return index % 3 === 0
        ? post(lines, body)
        : get(`Host: a\r\nX-Request-Id: ${id}\r\n${index % 3 === 1 ? 'KEY' : ''}`);
    });
    const answers = await exchange(requests.join('') + bad);
    expect(answers.map((answer) => answer.headers.get('x-request-id')).slice(0, -1)).toEqual(good);
    expect(answers.map((answer) => answer.status)).toEqual([
      ...good.map((_, index) => [201, 200, 401][index % 3]),
      status,
    ]);
    for (const index of [0, 3, 6]) expect(answers[index]!.body).toContain(`"good-${String(index)}"`);
    expectError(answers.at(-1), String(code));
  });

  it('answers an unknown expectation with 417, a request id and no body', async () => {
    const [answer, next] = await exchange(
      get('Host: a\r\nKEYX-Request-Id: expects\r\nExpect: a-miracle\r\n') + get(`Host: a\r\nKEY${LAST}`),
    );
    expect(answer).toMatchObject({ status: 417, body: '' });
    expect(answer!.headers.get('x-request-id')).toBe('expects');
    expect(next?.status).toBe(200);
  });

  it('answers the requests before a CONNECT, and then closes the connection', async () => {
    const connect = 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n';
    const answers = await exchange(post(LENGTH, PET) + get('Host: a\r\nKEY') + connect);
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
  });
});
