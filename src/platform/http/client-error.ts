import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { type ApiError, type ErrorCode, fixedError } from '../common/errors/api-error.js';
import { badRequest } from '../common/errors/common.errors.js';
import { JSON_MEDIA_TYPE } from '../common/json.js';
import type { ParserRefusal } from '../telemetry/request-telemetry.js';
import { connectionOf } from './connection.js';
import { RequestMessage } from './requests/request-message.js';

export interface ClientErrorOptions {
  refusalHeaders: (requestId: string, code?: ErrorCode) => Readonly<Record<string, string>>;
  onRefused: (refusal: ParserRefusal) => void;
}

/**
 * Answers what Node's HTTP parser refuses. An error in a body is answered by its request. Any other error is
 * answered on the socket, after the responses that are under way, and the connection is closed.
 */
export function clientErrorHandler({ refusalHeaders, onRefused }: ClientErrorOptions) {
  return (parserError: ConnectionError, socket: Socket): void => {
    const connection = connectionOf(socket);
    if (parserError.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    if (socket.destroyed || connection.isRefused) return;
    connection.isRefused = true;
    const error = toApiError(parserError);
    const { last, unanswered } = connection;
    const isInBody = last?.req instanceof RequestMessage && !last.req.complete;
    if (isInBody) last.req.fail(error);
    const answer = () => {
      if (isInBody || !socket.writable) {
        socket.destroySoon();
        return;
      }
      const requestId = randomUUID();
      onRefused({ error, requestId, address: socket.remoteAddress });
      socket.end(rawAnswer(error, refusalHeaders(requestId, error.code)), () => socket.destroy());
    };
    if (unanswered > 0) last?.once('close', answer);
    else answer();
  };
}

function toApiError({ code }: ConnectionError): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fixedError('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return fixedError('headers_too_large');
  return badRequest('The request is not well-formed HTTP.');
}

function rawAnswer(error: ApiError, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(error.body);
  return [
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
