import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { type ApiError, type ErrorCode, fixedError } from '../../common/errors/api-error.js';
import { badRequest } from '../../common/errors/common.errors.js';
import { MAX_TARGET_BYTES } from '../../common/errors/errors.js';
import { JSON_MEDIA_TYPE } from '../../common/json.js';
import type { ParserRefusal } from '../../telemetry/request-telemetry.js';
import { bodyOf } from '../requests/raw-body.js';
import { afterResponses, connectionOf } from './connections.js';

export interface ClientErrorOptions {
  headersOf: (requestId: string, code?: ErrorCode) => Readonly<Record<string, string>>;
  onRefused: (refusal: ParserRefusal) => void;
}

/**
 * Answers what Node's HTTP parser refuses. An error in a body is answered by its request. Any other error is
 * answered on the socket, after the responses that are under way, and the connection is closed.
 */
export function clientErrorHandler({ headersOf, onRefused }: ClientErrorOptions) {
  return (parserError: ConnectionError, socket: Socket): void => {
    const connection = connectionOf(socket);
    if (parserError.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    if (socket.destroyed || connection.isRefused) return;
    connection.isRefused = true;
    const error = toApiError(parserError);
    const { last } = connection;
    const isInBody = last !== undefined && !last.req.complete;
    if (isInBody) bodyOf(last.req)?.fail(error);
    afterResponses(socket, () => {
      if (isInBody || !socket.writable) {
        socket.destroySoon();
        return;
      }
      const requestId = randomUUID();
      onRefused({ error, requestId, address: socket.remoteAddress });
      const head = rawHead(error, headersOf(requestId, error.code));
      const isHead = firstLineOf(parserError).startsWith('HEAD ');
      socket.end(isHead ? head : head + JSON.stringify(error.body), () => socket.destroy());
    });
  };
}

function toApiError(error: ConnectionError): ApiError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return fixedError('request_timeout');
  if (error.code === 'HPE_HEADER_OVERFLOW')
    // Node has one limit for the target and the headers together.
    return firstLineOf(error).length > MAX_TARGET_BYTES
      ? fixedError('uri_too_long')
      : fixedError('headers_too_large');
  return badRequest('The request is not well-formed HTTP.');
}

/**
 * The request line of the refused request, cut where the packet ends. The error holds only the packet that the parser refused:
 * empty if the request began in an earlier packet. A long target is then answered with `headers_too_large`.
 */
function firstLineOf({ rawPacket, bytesParsed }: ConnectionError): string {
  const packet = (rawPacket as unknown as Buffer | undefined)?.toString('latin1') ?? '';
  // An empty line ends the request before it in the same packet.
  const previousEnd = packet.lastIndexOf('\r\n\r\n', bytesParsed - 4);
  const [line = ''] = packet.slice(previousEnd === -1 ? 0 : previousEnd + 4).split('\r\n', 1);
  return /^[A-Z-]+ /.test(line) ? line : '';
}

function rawHead(error: ApiError, headers: Readonly<Record<string, string>>): string {
  return [
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(JSON.stringify(error.body)))}`,
    'Connection: close',
    '',
    '',
  ].join('\r\n');
}
