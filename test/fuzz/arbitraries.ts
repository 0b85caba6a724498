import { METHODS } from 'node:http';
import fc from 'fast-check';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { body } from './bodies.js';
import type { FuzzRequest } from './request.js';
import { integer, oneOf, text, wordOf } from './values.js';

const encoded = text.map((of) => encodeURIComponent(of.toWellFormed()));
/** Text that the parser accepts in a target, with valid or invalid escapes. */
const targetText = fc.oneof(
  encoded,
  fc.string({ unit: oneOf('abc/.;:@!$&\'()*+,=-_~%0123{}|^`"<>[]\\'), maxLength: 12 }),
  wordOf('%00 % %zz %ff %c0%80 %ed%a0%80 %2f %2e%2e %25 %u0041'),
);

const action = wordOf('approve deliver cancel');
const id = fc.oneof({ weight: 4, arbitrary: integer.map(encodeURIComponent) }, targetText);
const knownPath = fc.oneof(
  { weight: 3, arbitrary: fc.constant('/v1/pets') },
  { weight: 4, arbitrary: id.map((of) => `/v1/pets/${of}`) },
  wordOf('/v1/store/orders /v1/store/inventory /v1/usage /v1/rate-limit'),
  id.map((of) => `/v1/store/orders/${of}`),
  fc.tuple(id, action).map(([of, what]) => `/v1/store/orders/${of}/${what}`),
);
const openPath = wordOf(
  '/docs /docs/page.js /docs/nothing /openapi.json /health/live /health/ready /health/x',
);
const strangePath = fc.oneof(
  targetText.map((of) => `/v1/${of}`),
  targetText.map((of) => `/${of}`),
  wordOf('/ /v1 /v1/ //v1/pets /v1//pets /V1/pets /v1/pets/ /v2/pets /v1/../v1/pets'),
  wordOf('/%761/pets /v1%2fpets /v1/pets%00 /v1/pets;a=b /v1/pets/. /usage /metrics /*'),
  wordOf('http://a/v1/pets HTTPS://a:1/v1/pets/1 http://a http://[::1]/v1/usage http://u:p@a/v1/pets'),
  fc.integer({ min: 8_180, max: 8_200 }).map((length) => '/v1/pets/'.padEnd(length, 'a')),
);
const path = fc.oneof({ weight: 12, arbitrary: knownPath }, openPath, { weight: 2, arbitrary: strangePath });

const status = wordOf('available|pending|sold|placed|cancelled|AVAILABLE|available |', '|');
const parameterValue = fc.oneof(
  integer.map(encodeURIComponent),
  status.map(encodeURIComponent),
  targetText,
  fc.array(integer, { maxLength: 130 }).map((ids) => encodeURIComponent(ids.join(','))),
  fc.base64String({ maxLength: 40 }).map(encodeURIComponent),
);
const parameterName = fc.oneof(
  { weight: 6, arbitrary: wordOf('limit status categoryId ids cursor days') },
  wordOf('__proto__|constructor|limit[]|limit%5b%5d|Limit|', '|'),
  targetText,
);
const validQuery = fc.oneof(
  fc.tuple(fc.constant('limit'), fc.integer({ min: 1, max: 5 })),
  fc.tuple(fc.constant('status'), wordOf('available pending sold')),
  fc.tuple(fc.constant('categoryId'), fc.integer({ min: -2, max: 9 })),
  fc.tuple(fc.constant('days'), fc.integer({ min: 1, max: 90 })),
);
const pairs = fc.oneof(
  { weight: 3, arbitrary: fc.array(validQuery, { maxLength: 2 }) },
  fc.array(fc.tuple(parameterName, parameterValue), { maxLength: 4 }),
  fc
    .tuple(parameterName, fc.integer({ min: 2, max: 900 }))
    .map(([name, times]) => Array<[string, string]>(times).fill([name, '1'])),
);
const query = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 5, arbitrary: pairs.map((of) => `?${of.map(([name, value]) => `${name}=${value}`).join('&')}`) },
  targetText.map((of) => `?${of}`),
  wordOf('? ?? ?&&& ?= ?limit ?limit=1#limit=2 # ?limit=1;status=sold'),
);

/** Header values that Node's parser accepts: printable Latin-1 and tabs, without blanks at either end. */
const headerValue = fc
  .oneof(
    fc.string({ maxLength: 40 }),
    fc.string({
      unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 20,
    }),
    text.map((of) => Buffer.from(of.toWellFormed()).toString('latin1')),
    wordOf('*|"|W/"a"|"a", "b"|a\tb|,|;|()<>@|${jndi:ldap://a/b}|{{7*7}}', '|'),
  )
  .map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim());

const mediaType = fc.oneof(
  wordOf(
    'text/plain|application/json; charset=utf-16|application/json, text/plain|application/json;|;|',
    '|',
  ),
  wordOf('multipart/form-data; boundary=a|application/jsonx|application/vnd.api+json', '|'),
  headerValue,
);
const jsonType = wordOf(
  'application/json|application/json; charset=utf-8|Application/JSON;charset="UTF-8"',
  '|',
);
type Headers = [name: string, value: string][];
const contentType = fc.oneof(
  { weight: 9, arbitrary: jsonType.map((value): Headers => [['Content-Type', value]]) },
  mediaType.map((value): Headers => [['Content-Type', value]]),
  mediaType.map((value): Headers => [
    ['Content-Type', 'application/json'],
    ['content-type', value],
  ]),
  fc.constant<Headers>([]),
);
const named = (names: string, value: fc.Arbitrary<string>) => fc.tuple(wordOf(names), value);
const HEADER_NAMES =
  `If-None-Match Idempotency-Key X-Request-Id X-Forwarded-For Origin Cookie Range Content-Encoding TE Trailer Accept
  Accept-Encoding Forwarded X-Forwarded-Proto X-HTTP-Method-Override Via Upgrade If-Match Access-Control-Request-Method __proto__
  constructor !#$%&*+.^_|~ ${'x'.repeat(300)}`.replaceAll(/\n +/g, ' ');
// No `Connection: Upgrade`, because Node's parser does not report the next error after it, so that the response is a 408 after 10 s.
const header = fc.oneof(
  { weight: 3, arbitrary: named(HEADER_NAMES, headerValue) },
  named('Idempotency-Key X-Request-Id', wordOf(`a "a" " "" ${'x'.repeat(255)} ${'x'.repeat(256)}`)),
  named('Content-Encoding', wordOf('gzip|identity|br|deflate, gzip', '|')),
  named('Expect', fc.constant('100-continue')),
  named('Connection', wordOf('close|keep-alive|X-Request-Id, Authorization', '|')),
  named(
    'X',
    fc.integer({ min: 15_000, max: 17_000 }).map((length) => 'x'.repeat(length)),
  ),
);
const headers = fc
  .tuple(contentType, fc.oneof(fc.constant([]), fc.array(header, { maxLength: 4 })))
  .map(([type, rest]) => [...type, ...rest]);

const authorization = fc.oneof(
  { weight: 30, arbitrary: fc.constant('own' as const) },
  { weight: 4, arbitrary: fc.constant('reader' as const) },
  { weight: 2, arbitrary: fc.constant('none' as const) },
  fc.constant(0).map(() => ({ value: `Bearer ${generateApiKey()}` })),
  headerValue.map((value) => ({ value })),
  headerValue.map((value) => ({ value: `Bearer ${value}` })),
  headerValue.map((value) => ({ twice: value })),
);
const host = fc.oneof(
  { weight: 30, arbitrary: fc.constant<string[]>(['a']) },
  headerValue.map((value) => [value]),
  fc.constantFrom<string[]>([], ['a', 'a'], [''], ['a:99999'], ['[::1]:80'], ['a/b'], ['http://a']),
);

// conversations.ts covers CONNECT.
const method = fc.oneof(
  { weight: 5, arbitrary: fc.constant('GET') },
  { weight: 5, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: wordOf('PATCH DELETE HEAD') },
  fc.constantFrom(...METHODS.filter((of) => of !== 'CONNECT')),
);

/** Any request with valid framing. Most are close enough to a valid request to pass the first check. */
export const abusiveRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({ method, path, query, authorization, host, headers, body })
  .map(({ path: ofPath, query: ofQuery, ...rest }) => ({ ...rest, target: `${ofPath}${ofQuery}` }))
  // The parser refuses a fragment directly after an authority.
  .filter(({ target }) => !/^https?:\/\/[^/?]*#/i.test(target));
