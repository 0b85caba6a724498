import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseJson } from '../../../src/platform/common/json.js';
import type { Answer } from './client.js';

const HEAD_END = '\r\n\r\n';

/**
 * Splits received bytes into HTTP responses by their Content-Length. `rest`: an incomplete response.
 * @throws Error if the bytes are not a response or a header is duplicated
 */
export function answersIn(bytes: Buffer, isHead = false): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = [];
  for (let rest = bytes; ;) {
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd === -1) return { answers, rest };
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(statusLine)}`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*): *(.*)$/.exec(line) ?? [];
      if (name.toLowerCase() in headers) throw new Error(`${name} is duplicated`);
      headers[name.toLowerCase()] = value;
    }
    const isBodiless = isHead || status === 204 || status === 304;
    const bodyEnd = headEnd + HEAD_END.length + (isBodiless ? 0 : Number(headers['content-length'] ?? 0));
    if (rest.length < bodyEnd) return { answers, rest };
    const body = rest.subarray(headEnd + HEAD_END.length, bodyEnd);
    const isJson = headers['content-type']?.startsWith('application/json') && body.length > 0;
    answers.push({ status, headers, text: body.toString(), body: isJson ? parseJson(body) : undefined });
    rest = rest.subarray(bodyEnd);
  }
}

/**
 * Sends text in latin1 on a TCP connection, with `KEY` replaced by the line of this key, or by nothing if it is empty. Resolves
 * with the responses once the connection is closed.
 */
export async function exchangeRaw(baseUrl: string, text: string, key = ''): Promise<Answer[]> {
  const keyLine = key === '' ? '' : `Authorization: Bearer ${key}\r\n`;
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(text.replaceAll('KEY', keyLine), 'latin1');
  const { answers, rest } = answersIn(await buffer(socket));
  if (rest.length > 0) throw new Error(`not a response: ${JSON.stringify(rest.toString())}`);
  return answers;
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
