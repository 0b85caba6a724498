import type { Answer } from '../support/http/client.js';

/** One request with valid framing, which the HTTP parser accepts. */
export interface FuzzRequest {
  method: string;
  target: string;
  /** `own`: the worker's key; `reader`: its key with read access. Any other value is sent unchanged. */
  authorization: 'own' | 'reader' | 'none' | { value: string } | { twice: string };
  host: string[];
  headers: [name: string, value: string][];
  /** Text is sent as UTF-8. Each piece is a chunk. */
  body: { whole: string | Uint8Array } | { pieces: (string | Uint8Array)[] } | undefined;
}

/** The two keys of a worker. */
export interface Secrets {
  own: string;
  reader: string;
}

/** The bytes of a request. `requestId` is added unless the request has an id. */
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

/** The bytes of the body; empty without a body. */
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

/** Whether HTTP's rules refuse a request that the parser accepts. It is not counted, and its response shows the address's window. */
export function isMalformed({ target, host }: FuzzRequest): boolean {
  if (host.length !== 1 || !/^[!"$-~]*$/.test(target)) return true;
  try {
    decodeURIComponent(target);
    return false;
  } catch {
    return true;
  }
}

/** The subject that a request is charged to: one of the worker's two keys, its address, or none. */
export type Subject = 'own' | 'reader' | 'address' | 'none';

/**
 * The subjects that the contract allows. There are several if the spelling of a path outside `/v1` leaves it to the
 * service whether the path is open.
 */
export function chargeable({ method, target, authorization }: FuzzRequest): Subject[] {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  if (decoded !== '/v1' && !decoded.startsWith('/v1/')) return ['address', 'none'];
  if (authorization !== 'own' && authorization !== 'reader') return ['address'];
  const isFree = decoded === '/v1/rate-limit' && (method === 'GET' || method === 'HEAD');
  return isFree ? ['none'] : [authorization];
}

/** The charged subject, derived from the limit that a response shows; undefined without a limit. */
export function shownSubject(answer: Answer, request: FuzzRequest, keyLimit: number): Subject | undefined {
  const limit = answer.headers['x-ratelimit-limit'];
  if (limit === undefined) return undefined;
  if (Number(limit) !== keyLimit) return 'address';
  return request.authorization === 'reader' ? 'reader' : 'own';
}
