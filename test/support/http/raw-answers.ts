import { expect } from '@jest/globals';
import { callRaw } from './client.js';
import { STATUS, type Code } from './expect-error.js';

/** One response that a connection received. */
interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Splits the received text into HTTP responses by their Content-Length. @throws Error when the text is not a response */
function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (end === -1 || Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(rest)}`);
    const headers = new Map(
      lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')]),
    );
    const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0);
    answers.push({ status, headers, body: rest.slice(end + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}

/** Expects this error; fails without a response. */
export function expectRawError(
  { status, headers, body }: RawAnswer | undefined = noAnswer(),
  code: Code,
): void {
  expect(JSON.parse(body)).toEqual({ code, message: expect.stringMatching(/\S/), status: STATUS[code] });
  expect(status).toBe(STATUS[code]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
}

function noAnswer(): never {
  throw new Error('the connection was closed without a response');
}

/**
 * Sends text in latin1, with `KEY` replaced by the line of this key, or by nothing if it is empty. Resolves with the responses
 * once the connection is closed.
 */
export async function exchangeRaw(url: string, text: string, key: string): Promise<RawAnswer[]> {
  const keyLine = key === '' ? '' : `Authorization: Bearer ${key}\r\n`;
  return answersIn(await callRaw(url, Buffer.from(text.replaceAll('KEY', keyLine), 'latin1')));
}

export const LAST = 'Connection: close\r\n';
export const CHUNKED = 'Transfer-Encoding: chunked\r\n';
export const PET = '{"name":"Rex","categoryId":7}';
export const LENGTH = `Content-Length: ${PET.length}\r\n`;

/** A list with these lines of headers. */
export const get = (lines: string) => `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
/** A creation with a key, these lines of headers and this body. */
export const post = (lines: string, body = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nKEYContent-Type: application/json\r\n${lines}\r\n${body}`;
