import type { Answer } from '../support/http/client.js';

/** One request, soundly framed: HTTP's parser has nothing against it, whatever the service may have. */
export interface FuzzRequest {
  method: string;
  target: string;
  /** `own`: the worker's key; `reader`: its key that may only read. Anything else is sent as it is. */
  authorization: 'own' | 'reader' | 'none' | { value: string } | { twice: string };
  host: string[];
  headers: [name: string, value: string][];
  /** Text is sent as UTF-8. Pieces make chunks. */
  body: { whole: string | Uint8Array } | { pieces: (string | Uint8Array)[] } | undefined;
}

/** Whose requests are counted against which key. */
export interface Secrets {
  own: string;
  reader: string;
}

/** The request's bytes. `requestId` comes before any the request brings itself. */
export function toBytes(request: FuzzRequest, secrets: Secrets, requestId: string): Buffer {
  const { method, target, host, headers, body } = request;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...host.map((name) => `Host: ${name}`),
    ...authorizationOf(request, secrets).map((value) => `Authorization: ${value}`),
    ...(hasOwnId(request) ? [] : [`X-Request-Id: ${requestId}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const head = (...framing: string[]) => Buffer.from([...lines, ...framing, '', ''].join('\r\n'), 'latin1');
  if (body === undefined) return head();
  if ('whole' in body) {
    const bytes = bytesOf(body.whole);
    return Buffer.concat([head(`Content-Length: ${bytes.length}`), bytes]);
  }
  const chunks = body.pieces.map(bytesOf).filter(({ length }) => length > 0);
  const framed = chunks.flatMap((bytes) => [
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([head('Transfer-Encoding: chunked'), ...framed, Buffer.from('0\r\n\r\n')]);
}

/** The body's bytes; empty where there is none. */
export function bodyBytesOf({ body }: FuzzRequest): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'whole' in body ? bytesOf(body.whole) : Buffer.concat(body.pieces.map(bytesOf));
}

export function hasOwnId({ headers }: FuzzRequest): boolean {
  return headers.some(([name]) => name.toLowerCase() === 'x-request-id');
}

const bytesOf = (of: string | Uint8Array) => (typeof of === 'string' ? Buffer.from(of) : Buffer.from(of));

function authorizationOf({ authorization }: FuzzRequest, secrets: Secrets): string[] {
  if (authorization === 'none') return [];
  if (authorization === 'own' || authorization === 'reader') return [`Bearer ${secrets[authorization]}`];
  if ('twice' in authorization) return [`Bearer ${secrets.own}`, authorization.twice];
  return [authorization.value];
}

/** Who is to be charged for a request: one of the worker's two keys, its address, or nobody. */
export type Subject = 'own' | 'reader' | 'address' | 'nobody';

/**
 * Who must be charged, by the contract alone; several where the spelling of a path outside `/v1` leaves it to the
 * service whether it is one of those that are open.
 */
export function chargeable({ method, target, authorization }: FuzzRequest): Subject[] {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  if (decoded !== '/v1' && !decoded.startsWith('/v1/')) return ['address', 'nobody'];
  if (authorization !== 'own' && authorization !== 'reader') return ['address'];
  const isFree = decoded === '/v1/rate-limit' && (method === 'GET' || method === 'HEAD');
  return isFree ? ['nobody'] : [authorization];
}

/** Who was charged, by the limit that an answer shows; undefined: no limit is shown. */
export function shownSubject(answer: Answer, request: FuzzRequest, keyLimit: number): Subject | undefined {
  const limit = answer.headers['x-ratelimit-limit'];
  if (limit === undefined) return undefined;
  if (Number(limit) !== keyLimit) return 'address';
  return request.authorization === 'reader' ? 'reader' : 'own';
}
