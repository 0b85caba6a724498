import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import type { ApiError } from '../errors/api-error.js';
import {
  MAX_TARGET_BYTES,
  badRequest,
  headersTooLarge,
  requestTimeout,
  uriTooLong,
} from '../errors/common.errors.js';
import { JSON_MEDIA_TYPE } from '../json/json-media-type.js';
import { afterOpenResponses } from './open-responses.js';
import { REQUEST_ID_HEADER } from './request-id.js';

type ParserError = ConnectionError & { rawPacket?: Buffer };

/**
 * Answers what Node's HTTP parser refuses, on the bare socket: there is no request to speak of. An
 * answer still under way on the same connection is left to finish first, for it would be mistaken for this one.
 * `ofTransport`: headers that every answer has (transport-security.ts).
 */
export function parserErrorHandler(ofTransport: Record<string, string>) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const finding = findingOf(error);
    // A request whose body is still coming is the one the parser stumbled in: its own answer will never be.
    afterOpenResponses(socket, () => {
      if (socket.writable) socket.end(rawResponse(finding, ofTransport), () => socket.destroy());
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

function rawResponse(finding: ApiError, ofTransport: Record<string, string>): string {
  const body = JSON.stringify(finding.body);
  return [
    `HTTP/1.1 ${String(finding.status)} ${STATUS_CODES[finding.status] ?? ''}`,
    `Date: ${new Date().toUTCString()}`,
    `${REQUEST_ID_HEADER}: ${randomUUID()}`,
    'X-Content-Type-Options: nosniff',
    ...Object.entries(ofTransport).map(([name, value]) => `${name}: ${value}`),
    'Cache-Control: private, no-cache',
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
