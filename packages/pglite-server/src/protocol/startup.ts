import { ProtocolViolation } from '../errors.js';
import { cstring, encodeFrame, int32 } from './frames.js';

const PROTOCOL_3_0 = 3 << 16;
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;

/** What a packet before the first frame requests. */
export type StartupRequest = 'session' | 'encryption' | 'cancel';

/**
 * Reads a packet that comes before the first frame. The settings that a client sends with it are ignored, because all clients
 * share one session.
 */
export function startupRequest(packet: Buffer): StartupRequest {
  const code = packet.length < 4 ? undefined : packet.readInt32BE();
  if (code === SSL_REQUEST || code === GSS_REQUEST) return 'encryption';
  if (code === CANCEL_REQUEST) return 'cancel';
  if (code === PROTOCOL_3_0) return 'session';
  throw new ProtocolViolation('0A000', 'only version 3.0 of the protocol is supported');
}

/** What a server sends to a client that it accepts, up to ReadyForQuery. */
export function greeting(connectionId: number, serverVersion: string): Buffer {
  const parameters = Object.entries({
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    is_superuser: 'on',
  });
  return Buffer.concat([
    encodeFrame('R', int32(0)),
    ...parameters.map(([name, value]) => encodeFrame('S', cstring(name), cstring(value))),
    // The secret of the key is 0, because cancel requests are not supported.
    encodeFrame('K', int32(connectionId), int32(0)),
    encodeFrame('Z', Buffer.from('I')),
  ]);
}

/** An error after which the connection is closed. */
export function fatalError(sqlState: string, message: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${sqlState}`, `M${message}`].map(cstring);
  return encodeFrame('E', ...fields, Buffer.alloc(1));
}
