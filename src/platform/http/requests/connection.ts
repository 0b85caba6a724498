import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { ConnectionError } from 'fastify';
import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest } from '../../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { JSON_MEDIA_TYPE } from '../../common/json.js';
import { cut, RequestMessage } from './request-message.js';

/** How many requests one connection may have unanswered. A connection with more is closed. */
const MAX_UNANSWERED = 16;

/** The state of one connection. */
interface Connection {
  unanswered: number;
  /** The newest response, until it is sent and its request has arrived completely. */
  last: ServerResponse | undefined;
  /** The HTTP parser has refused a message. */
  isRefused: boolean;
}

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket): Connection {
  let connection = connections.get(socket);
  if (!connection)
    connections.set(socket, (connection = { unanswered: 0, last: undefined, isRefused: false }));
  return connection;
}

/** Counts a request until its response is sent. False: the connection is closed, and the request must not be handled. */
export function admitRequest(socket: Socket, response: ServerResponse): boolean {
  const connection = connectionOf(socket);
  if (connection.unanswered === MAX_UNANSWERED) cut(socket);
  if (socket.destroyed) return false;
  connection.unanswered += 1;
  connection.last = response;
  response.once('close', () => {
    connection.unanswered -= 1;
    // Node discards what arrives of the body from here on.
    if (response.req instanceof RequestMessage) response.req.forgetBody();
    // An idle connection keeps nothing of its last request.
    if (connection.last === response && response.req.complete) connection.last = undefined;
  });
  return true;
}

export type RefusalHeaders = (requestId: string, code: string) => Readonly<Record<string, string>>;

/**
 * Answers what Node's HTTP parser refuses. An error in a body is answered by its request. Any other error is answered on the
 * socket, after the responses that are under way, and the connection is closed.
 */
export function clientErrorHandler(headersOf: RefusalHeaders) {
  const logger = new Logger('Http');
  return (parserError: ConnectionError, socket: Socket): void => {
    const connection = connectionOf(socket);
    if (parserError.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    if (socket.destroyed || connection.isRefused) return;
    connection.isRefused = true;
    const error = refusalOf(parserError);
    const { last, unanswered } = connection;
    const isInBody = last?.req instanceof RequestMessage && !last.req.complete;
    if (isInBody) last.req.fail(error);
    const answer = () => {
      if (isInBody || !socket.writable) {
        socket.destroySoon();
        return;
      }
      const { status, code } = error.getResponse();
      const requestId = randomUUID();
      const line = { requestId, caller: socket.remoteAddress, method: null, route: null, status, code };
      logger.log(line, 'request');
      socket.end(rawAnswer(error, headersOf(requestId, code)), () => socket.destroy());
    };
    if (unanswered > 0) last?.once('close', answer);
    else answer();
  };
}

function refusalOf({ code }: ConnectionError): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fixedError(HTTP_ERRORS.request_timeout);
  if (code === 'HPE_HEADER_OVERFLOW') return fixedError(HTTP_ERRORS.headers_too_large);
  return badRequest('The request is not well-formed HTTP.');
}

function rawAnswer(error: ApiError, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(error.getResponse());
  return [
    `HTTP/1.1 ${error.getStatus()} ${STATUS_CODES[error.getStatus()] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
