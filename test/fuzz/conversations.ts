import fc from 'fast-check';
import { oneOf, wordOf } from './values.js';

/** The data sent on one connection: pieces of text in latin1. `KEY` stands for the line with a key. */
export type Conversation = string[];

const id = (text: string) => `X-Request-Id: ${text}\r\n`;
const get = (name: string, lines = '') =>
  `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: a\r\n${id(name)}KEY${lines}\r\n`;
const post = (name: string, lines: string, body = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${id(name)}KEYContent-Type: application/json\r\n${lines}\r\n${body}`;
const PET = '{"name":"Rex","categoryId":7}';

/** A request that must never be answered, because it is the body of another one. */
export const SMUGGLED = 'smuggled';
const hidden = get(SMUGGLED);

const valid = fc.constantFrom(
  get('valid'),
  post('valid', `Content-Length: ${PET.length}\r\n`, PET),
  post('valid', 'Transfer-Encoding: chunked\r\n', `1d\r\n${PET}\r\n0\r\n\r\n`),
  `OPTIONS * HTTP/1.1\r\nHost: a\r\n${id('valid')}\r\n`,
);

const blank = wordOf('| |\t|\x0b|\x0c|\r|\n|\0|\xa0|\x85|,', '|');
/** Spellings of `Transfer-Encoding: chunked` that servers interpret differently. */
const transferEncoding = fc.oneof(
  fc.tuple(blank, blank, blank).map(([a, b, c]) => `Transfer-Encoding${a}:${b}chunked${c}\r\n`),
  wordOf('chunked|Chunked|xchunked|chunked, identity|identity, chunked|"chunked"|chunked;a=b|cow', '|').map(
    (value) => `Transfer-Encoding: ${value}\r\n`,
  ),
  fc.constantFrom(
    'Transfer-Encoding:\r\n chunked\r\n',
    'X: a\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n',
    'Transfer_Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  ),
);
const contentLength = fc
  .oneof(
    wordOf('0|5|+5|-1|0x5|5,5|5, 6|| |5 5|05|1e1|5\r\nContent-Length: 6', '|'),
    fc.tuple(blank, fc.nat(80), blank).map(([a, length, b]) => `${a}${length}${b}`),
  )
  .map((value) => `Content-Length: ${value}\r\n`);
/** Two framings in one request, so that the shorter interpretation leaves a second request. */
const smuggling = fc
  .tuple(fc.shuffledSubarray([0, 1], { minLength: 2 }), transferEncoding, contentLength)
  .map(([order, transfer, length]) =>
    post('outer', order.map((at) => [transfer, length][at]).join(''), `0\r\n\r\n${hidden}`),
  );

const chunkSize = fc.oneof(
  wordOf('|-1|+5|0x5|g|5 | 5|5;|5;a="|5;\x00|ffffffffffffffff|100000000|5\n|00000005', '|'),
  fc.string({ unit: oneOf('0123456789abcdefABCDEF; =\t\0'), maxLength: 8 }),
);
const chunks = fc
  .array(fc.tuple(chunkSize, wordOf('hello {}  \r\n \0')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((of) =>
    post(
      'chunks',
      'Transfer-Encoding: chunked\r\n',
      of.map(([size, data]) => `${size}\r\n${data}\r\n`).join(''),
    ),
  );

const flood = fc.oneof(
  fc.nat(4_000).map((times) => get('flood', 'a: b\r\n'.repeat(times))),
  fc.nat(26_000).map((length) => get('flood', `${'a'.repeat(length)}: b\r\n`)),
  fc
    .nat(300)
    .map((times) => get('flood', 'Authorization: Bearer x\r\nHost: b\r\nCookie: a=b\r\n'.repeat(times))),
);

const text = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 60 });
/** A valid request with mutated bytes. */
const mutated = fc
  .tuple(valid, fc.nat(160), fc.nat(12), fc.oneof(text, wordOf('\0|\r|\n|\r\n|\r\n\r\n| |:', '|')))
  .map(([of, at, cut, inserted]) => `${of.slice(0, at)}${inserted}${of.slice(at + cut)}`);
const cut = fc.tuple(valid, fc.nat(250)).map(([of, length]) => of.slice(0, length));

/** Pipelined valid requests, with at most one piece of invalid HTTP among them. */
export const conversation: fc.Arbitrary<Conversation> = fc
  .tuple(
    fc.array(valid, { maxLength: 4 }),
    fc.oneof(smuggling, smuggling, chunks, flood, mutated, mutated, cut, text, valid),
    fc.array(valid, { maxLength: 2 }),
  )
  // The last request closes the connection, unless an earlier piece consumes it.
  .map(([before, piece, after]) => [...before, piece, ...after, get('last', 'Connection: close\r\n')]);
