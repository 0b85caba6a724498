import { once } from 'node:events';
import {
  Agent,
  request,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parseJson, type JsonValue } from '../../../src/platform/common/json.js';
import { checkAgainstDocument } from './document.js';

export interface Call {
  method?: string;
  path: string;
  key?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Sent as it is when a string or bytes, else as JSON. */
  body?: unknown;
}

/** A call of createPet. */
export const creation = (body?: unknown, headers: Call['headers'] = {}): Call => ({
  method: 'POST',
  path: '/v1/pets',
  body,
  headers,
});

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body, every int64 a bigint; undefined when there is none. */
  body: JsonValue | undefined;
}

export interface BytesAnswer extends Answer {
  /** The body as it came. */
  bytes: Buffer;
}

/** Calls the service over HTTP, and checks the response against openapi.json. */
export async function call(baseUrl: string, options: Call): Promise<BytesAnswer> {
  const answer = await callUnchecked(baseUrl, options);
  checkAgainstDocument(options.method ?? 'GET', options.path, answer);
  return answer;
}

/** For bodies that are refused before they are read: Node closes any other connection while they are still being sent. */
const keptAlive = new Agent({ keepAlive: true });
const LARGE_BODY_CHARACTERS = 65_536;

/** Calls the service without that check, and maybe over kept connections. */
export function callUnchecked(
  baseUrl: string,
  { method = 'GET', path, key, headers, body }: Call,
  agent: Agent | false = typeof body === 'string' && body.length > LARGE_BODY_CHARACTERS ? keptAlive : false,
): Promise<BytesAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const content =
    payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) };
  const allHeaders = { ...authorization, ...content, ...headers };
  return new Promise((resolve, reject) => {
    const answered = (incoming: IncomingMessage) => void toAnswer(incoming).then(resolve, reject);
    request({ hostname, port, method, path, agent, headers: allHeaders }, answered)
      .on('error', reject)
      .end(payload);
  });
}

async function toAnswer(incoming: IncomingMessage): Promise<BytesAnswer> {
  const { statusCode: status = 0, headers } = incoming;
  const bytes = await buffer(incoming);
  const isJson = headers['content-type']?.startsWith('application/json') && !headers['content-encoding'];
  const body = isJson && bytes.length > 0 ? parseJson(bytes) : undefined;
  return { status, headers, bytes, text: bytes.toString(), body };
}

/** The number of requests left today, as the headers of a response say. */
export function dayLeft({ headers }: Pick<Answer, 'headers'>): number {
  return Number(/"day";r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
}

/** The number of requests left in the window that has the fewest. */
export function requestsLeft({ headers }: Pick<Answer, 'headers'>): number {
  return Number(headers['x-ratelimit-remaining']);
}

/** Starts a POST. Resolves when the service has read its headers and asks for the body, of this many bytes. */
export async function startPost(
  baseUrl: string,
  { path, key, headers }: Call,
  bodyBytes: number,
): Promise<ClientRequest> {
  const outgoing = request(new URL(path, baseUrl), {
    method: 'POST',
    agent: false,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      'content-length': String(bodyBytes),
      expect: '100-continue',
      ...headers,
    },
  });
  outgoing.on('error', () => undefined);
  await once(outgoing, 'continue');
  return outgoing;
}

/** Starts a POST and resets its connection. After a mere end the service would still answer. */
export async function leaveUnanswered(baseUrl: string, options: Call): Promise<void> {
  const outgoing = await startPost(baseUrl, options, 2);
  // Not events.once: the reset is an error of the request too.
  const closed = new Promise((resolve) => outgoing.once('close', resolve));
  outgoing.socket!.resetAndDestroy();
  await closed;
}
