import type { Conversation } from './conversations.js';
import type { FuzzRequest } from './request.js';

const BASE: FuzzRequest = {
  method: 'GET',
  target: '/v1/pets',
  authorization: 'own',
  host: ['a'],
  headers: [['Content-Type', 'application/json']],
  body: undefined,
};

/**
 * Requests that once revealed a defect, shrunk by fast-check. Every run begins with them. To keep a new
 * one, copy the counterexample that a failed run prints.
 */
export const REGRESSIONS: FuzzRequest[] = [
  // The message held control characters.
  {
    ...BASE,
    method: 'POST',
    body: { whole: '{"name":"Rex","categoryId":"$value\\u0000"}' },
  },
  // A malformed request was counted.
  { ...BASE, target: '/v1/rate-limit?%zz' },
  // The path `/v1/pets/` is unknown, so that the response has no headers of an operation.
  { ...BASE, method: 'PATCH', target: '/v1/pets/#', authorization: { value: 'Bearer *' } },
];

const KEYED = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nKEY\r\n';
const posted = (framing: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: application/json\r\n${framing}\r\n\r\n${body}`;

/** Conversations that once revealed a defect. */
export const REGRESSION_CONVERSATIONS: Conversation[] = [
  // Crashed the process.
  [KEYED, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  // Was counted, although the parser answered it.
  [posted('Transfer-Encoding: chunked', '\r\nhello\r\n')],
  // Later requests were executed and never answered.
  [posted('Content-Length: 2', '\0}'), KEYED],
  [KEYED.replace('KEY', `KEYX: ${'x'.repeat(17_000)}\r\n`), KEYED],
];
