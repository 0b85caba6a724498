import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { parseJson, type JsonValue } from '../../../src/common/json/parse-json.js';
import { checkAgainstDocument } from './document.js';

export interface Call {
  method?: string;
  path: string;
  key?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Sent as it is when a string or bytes, else as JSON. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body, every int64 a bigint; undefined when there is none. */
  body: JsonValue | undefined;
}

/** Calls the service over HTTP, and checks the response against openapi.json. */
export async function call(
  baseUrl: string,
  { method = 'GET', path, key, headers, body }: Call,
): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const answer = await new Promise<Answer>((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve(toAnswer(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
  checkAgainstDocument(method, path, answer);
  return answer;
}

function toAnswer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  return {
    status,
    headers,
    text: bytes.toString(),
    body: bytes.length > 0 && isJson ? parseJson(bytes) : undefined,
  };
}

/** Sends bytes on a TCP connection and resolves with everything received until it is closed. */
export function callRaw(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (received += text));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

/** Starts a POST, and resets the connection once the service asks for the body. After a mere end the service would still answer. */
export async function leaveUnanswered(baseUrl: string, { path, key, headers }: Call): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const outgoing = request({
    hostname,
    port,
    method: 'POST',
    path,
    agent: false,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      'content-length': '2',
      expect: '100-continue',
      ...headers,
    },
  });
  outgoing.on('error', () => undefined);
  await once(outgoing, 'continue');
  // Not events.once: the reset is an error of the request too.
  const closed = new Promise((resolve) => outgoing.once('close', resolve));
  outgoing.socket!.resetAndDestroy();
  await closed;
}
