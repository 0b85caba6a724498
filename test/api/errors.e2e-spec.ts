import { describe, expect, it } from '@jest/globals';
import { creation, type Call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { expectError, type Code, VARYING_HEADERS } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

type ErrorCase = [Code, string, Call];

const PET = { name: 'Rex', categoryId: 7 };
const get = (path: string, headers = {}): Call => ({ path, headers });
const asType = (type: string) => creation(PET, { 'content-type': type });
const withCategory = (literal: string) => creation(`{"name":"Rex","categoryId":${literal}}`);

/** One case per word. */
function each(code: Code, words: string, request: (word: string) => Call): ErrorCase[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => [code, word.length > 40 ? `${word.slice(0, 40)}…` : word, request(word)]);
}

/**
 * Requests of a caller who may write. json.spec.ts has more malformed JSON, routes.e2e-spec.ts undeclared fields and parameters,
 * idempotency.e2e-spec.ts its keys.
 */
const ERROR_CASES: ErrorCase[] = [
  ['malformed_json', 'a body cut short', creation('{"name":"Rex"')],
  ['malformed_json', 'white space only', creation('  \n')],
  ['malformed_json', 'bytes that are not UTF-8', creation(Buffer.from('{"name":"\xe9"}', 'latin1'))],
  ['malformed_json', 'the same key twice', creation('{"name":"a","n\\u0061me":"b","categoryId":7}')],
  ['malformed_json', '60,000 open brackets', creation('['.repeat(60_000))],
  ['invalid_body', 'no body', creation()],
  ['invalid_body', 'an empty body', creation('')],
  ['invalid_body', 'an empty body of another type', creation('', { 'content-type': 'text/plain' })],
  ['invalid_body', 'an empty body of a type that is none', creation('', { 'content-type': 'json' })],
  ['invalid_body', 'null', creation('null')],
  ['invalid_body', 'an array', creation([PET])],
  ['invalid_body', '30,000 closed brackets', creation(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)],
  ['invalid_body', 'a field whose name has 60,000 characters', creation(`{"${'a'.repeat(60_000)}":1}`)],
  ['invalid_body', 'fields hidden in __proto__', creation('{"__proto__":{"name":"a","categoryId":7}}')],
  ['invalid_body', 'a status of null', creation({ ...PET, status: null })],
  ...each(
    'invalid_body',
    `"" "${'x'.repeat(256)}" "${'😀'.repeat(256)}" "a\\u0000" "\\ud800" 5 null ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    (name) => creation(`{"name":${name},"categoryId":7}`),
  ),
  ...each(
    'invalid_body',
    '1.5 1e-1 1e19 1e400 0.99999999999999999999 9223372036854775808 -9223372036854775809 "7" null [7]',
    withCategory,
  ),
  ...each(
    'invalid_parameter',
    `limit=0 limit=101 limit=-1 limit= limit limit=01 limit=+1 limit=1.5 limit=15e-1 limit=0x5 limit=5; limit=%205 limit=abc
    limit=99999999999999999999 limit=1&limit=1 limit=1&l%69mit=2 limit[]=1 status= status=Sold status=SOLD
    status=sold,pending status=sold&status=sold stauts=sold Limit=1 =1 __proto__=1 constructor toString=1
    ids= ids=1, ids=, ids=1&ids= ids=1&ids=x ids[]=1 ids=${'1&ids='.repeat(100)}1 categoryId=1&categoryId=1 ids=1,x ids=1;2 ids=${'1,'.repeat(100)}1 ids=9223372036854775808 categoryId= categoryId=x cursor=a&cursor=a
    status=${'a'.repeat(8_000)}`,
    (query) => get(`/v1/pets?${query}`),
  ),
  ['invalid_cursor', 'an empty cursor', get('/v1/pets?cursor=')],
  ...each('invalid_cursor', `x %00 -1 ${'A'.repeat(27)} ${'A'.repeat(28)}`, (text) =>
    get(`/v1/pets?cursor=${text}`),
  ),
  ...each('bad_request', '/v1/pets/%zz /v1/pets/% /v1/pets?status=%ff /v1/pets?a=%c0%80 /v1/pets#top', get),
  ...each(
    'pet_not_found',
    `0 9223372036854775807 9223372036854775808 -9223372036854775809 99999999999999999999 abc 1.5 01 +1 0x1 %20 %201
    %00 1%00 %2F .. __proto__ ${'1'.repeat(8_000)}`,
    (id) => get(`/v1/pets/${id}`),
  ),
  ...each(
    'route_not_found',
    `/v1 /v1/ /v1/pets/ /v1//pets /v1/Pets /v1/pets/1/2 /v1%2Fpets /v1/pets%3Flimit=1 /v1/${'a'.repeat(8_000)}
    * /nowhere /V1/pets /v2/pets /docs/x/ /health /health/live/ /docs/..%2fv1/pets`,
    get,
  ),
  ['body_too_large', 'a body one byte over 64 KiB', creation(JSON.stringify(PET).padEnd(65_537))],
  ['body_too_large', 'a body of 10 MiB', creation('x'.repeat(10 * 1024 * 1024))],
  ...each(
    'unsupported_media_type',
    `text/plain application/jsonx application/problem+json application/* */* json application/json;charset=latin1
    application/json;charset="utf-16" application/json;charset=utf-8;charset=latin1 application/json;charset="utf-8";charset=latin1 multipart/form-data;boundary=a
    ${'a'.repeat(8_000)}`,
    asType,
  ),
  ...each('unsupported_media_type', 'gzip br,gzip identity,gzip', (encoding) =>
    creation(PET, { 'content-encoding': encoding }),
  ),
];

const WITHIN_LIMITS: [string, number, Call][] = [
  ['a body of 64 KiB', 201, creation(JSON.stringify(PET).padEnd(65_536))],
  ['a target of 15 KiB', 400, get('/v1/pets?status='.padEnd(15_360, 'a'))],
  ['a name of 255 characters of two units each', 201, creation({ ...PET, name: '😀'.repeat(255) })],
  ['an integer of 22 digits and an exponent', 201, withCategory('1000000000000000000000e-20')],
  ['the charset utf8', 201, asType('application/json; charset=utf8')],
  ['the content encoding identity', 201, creation(PET, { 'content-encoding': 'identity' })],
  ['a limit with a zero fraction', 200, get('/v1/pets?limit=10.0')],
  ['a media type in capitals with its charset in quotes', 201, asType('APPLICATION/JSON; charset="UTF-8"')],
  [
    'a charset in the text of another parameter',
    201,
    asType('application/json; a=";charset=b"; charset=utf-8'),
  ],
  ['a target in absolute form', 200, get('http://example.com/v1/pets?limit=1')],
  ['a path with needless escapes', 200, get('/%761/p%65ts?limit=%31')],
  ['an empty query', 200, get('/v1/pets?')],
  ['100 ids', 200, get(`/v1/pets?ids=${'1,'.repeat(99)}1`)],
  ['100 ids in repeated parameters', 200, get(`/v1/pets?${'ids=1&'.repeat(100)}`)],
];

/** Paths, the methods they answer, and some that they do not. */
const METHODS: [string, string, string[]][] = [
  ['/v1/pets', 'GET, HEAD, POST', ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH']],
  [`/v1/pets/${'1'.repeat(101)}`, 'GET, HEAD, PATCH, DELETE', ['PUT', 'POST', 'OPTIONS']],
  ['/docs', 'GET, HEAD', ['POST', 'OPTIONS', 'PROPFIND']],
  ['/health/live', 'GET, HEAD', ['POST', 'DELETE']],
];

describe('the API', () => {
  const store = storeOf(sharedService(anyKind));
  const send = (request: Call) => store.send(request);

  it.each(ERROR_CASES)(
    'answers %s to %s, and to HEAD the same without the body',
    async (code, _what, request) => {
      const answer = await send(request);
      expectError(answer, code);
      if (request.method !== undefined) return;
      const head = await send({ ...request, method: 'HEAD' });
      expect([head.status, head.text]).toEqual([answer.status, '']);
      expect({ ...head.headers, ...VARYING_HEADERS }).toEqual({ ...answer.headers, ...VARYING_HEADERS });
    },
  );

  it.each(WITHIN_LIMITS)('accepts %s', async (_what, status, request) => {
    expect((await send(request)).status).toBe(status);
  });

  it.each(METHODS)('answers method_not_allowed at %s, which allows %s', async (path, allowed, methods) => {
    for (const method of methods) {
      const answer = await send({ method, path });
      expect(expectError(answer, 'method_not_allowed')).toContain(method);
      expect(answer.headers.allow).toBe(allowed);
    }
  });
});
