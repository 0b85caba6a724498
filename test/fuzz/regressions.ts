import type { Conversation } from './conversations.js';
import type { FuzzRequest } from './request.js';

const ASKED: FuzzRequest = {
  method: 'GET',
  target: '/v1/pets',
  authorization: 'own',
  host: ['a'],
  headers: [['Content-Type', 'application/json']],
  body: undefined,
};

/**
 * Requests that once showed a defect, as small as fast-check could make them. Every run begins with them. To keep a new
 * one, copy the counterexample that a failed run prints.
 */
export const REGRESSIONS: FuzzRequest[] = [
  // The message held control characters.
  {
    ...ASKED,
    method: 'POST',
    body: { whole: '{"name":"Rex","categoryId":"$value\\u0000"}' },
  },
  // What is free was charged where no guard ran.
  { ...ASKED, target: '/v1/rate-limit?%zz' },
  // The path is `/v1/pets/`, where nothing lives, so no operation's headers are due.
  { ...ASKED, method: 'PATCH', target: '/v1/pets/#', authorization: { value: 'Bearer *' } },
];

const KEYED = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nKEY\r\n';
const posted = (framing: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: application/json\r\n${framing}\r\n\r\n${body}`;

/** The same of what went over a connection. */
export const REGRESSION_CONVERSATIONS: Conversation[] = [
  // Ended the process.
  [KEYED, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  // Charged, and answered by the parser, which charges nobody.
  [posted('Transfer-Encoding: chunked', '\r\nhello\r\n')],
  // The requests behind it were carried out and never answered.
  [posted('Content-Length: 2', '\0}'), KEYED],
  [KEYED.replace('KEY', `KEYX: ${'x'.repeat(17_000)}\r\n`), KEYED],
];
