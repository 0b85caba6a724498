import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors/api-error.js';
import {
  MAX_TARGET_BYTES,
  badRequest,
  headersTooLarge,
  requestTimeout,
  uriTooLong,
} from '../errors/common.errors.js';
import { JSON_MEDIA_TYPE } from '../json/json-media-type.js';
import { afterOpenReplies, replyToUnfinished } from './open-replies.js';
import { REQUEST_ID_HEADER } from './request-id.js';

type ParserError = ConnectionError & { rawPacket?: Buffer };

/** An answer on a bare socket, for the log. */
export interface ParserRefusal {
  finding: ApiError;
  requestId: string;
  address: string | undefined;
  /** The request whose body it was; undefined where the parser did not get that far. */
  request: FastifyRequest | undefined;
}

/** What of an answer the parser's refusals share with all others. */
export interface AnswerCustoms {
  /** The headers that do not depend on how a request ends, without its id; those of nothing understood for undefined. */
  headersOf: (request: FastifyRequest | undefined) => Readonly<Record<string, string>>;
  tell: (refusal: ParserRefusal) => void;
}

/**
 * Answers what Node's HTTP parser refuses, on the bare socket: it is nothing that hooks or guards could be asked about. An
 * answer still under way on the same connection is left to finish first, for it would be mistaken for this one.
 */
export function parserErrorHandler({ headersOf, tell }: AnswerCustoms) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const finding = findingOf(error);
    // A request whose body is still coming is the one the parser stumbled in: its own answer will never be.
    const unfinished = replyToUnfinished(socket);
    afterOpenReplies(socket, () => {
      if (!socket.writable) return;
      // It has had its answer before its body was whole, and gets no second one.
      if (unfinished?.raw.headersSent) {
        socket.destroySoon();
        return;
      }
      const request = unfinished?.request;
      const requestId = request?.id ?? randomUUID();
      tell({ finding, requestId, address: socket.remoteAddress, request });
      const headers = { [REQUEST_ID_HEADER]: requestId, ...headersOf(request) };
      socket.end(rawResponse(finding, headers), () => socket.destroy());
    });
  };
}

function findingOf(error: ParserError): ApiError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return isTargetTooLong(error.rawPacket) ? uriTooLong() : headersTooLarge();
  return badRequest('The request is not well-formed HTTP.');
}

/** Node has one limit for the target and the headers together; a first line this long is the target's fault. */
function isTargetTooLong(packet: Buffer | undefined): boolean {
  if (!packet) return false;
  const end = packet.indexOf('\r\n');
  return (
    (end === -1 ? packet.length : end) > MAX_TARGET_BYTES &&
    /^[A-Z-]+ /.test(packet.toString('latin1', 0, 32))
  );
}

function rawResponse(finding: ApiError, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(finding.body);
  return [
    `HTTP/1.1 ${String(finding.status)} ${STATUS_CODES[finding.status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
