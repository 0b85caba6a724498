import { ProtocolViolation } from '../errors.js';
import { cstring, encodeFrame, int32 } from './frames.js';

const MAX_PACKET_BYTES = 10_000;
const PROTOCOL_3_0 = 3 << 16;
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;

/** What a packet before the first frame requests. */
export type StartupRequest = 'session' | 'encryption' | 'cancel';

/**
 * Reads the packets that come before the first frame; they have no type. The settings that a client sends with them are
 * ignored, because all clients share one session.
 */
export class StartupReader {
  private buffered = Buffer.alloc(0);

  /** Adds bytes; returns a request when its packet is complete. */
  push(chunk: Buffer): StartupRequest | undefined {
    this.buffered = Buffer.concat([this.buffered, chunk]);
    if (this.buffered.length < 8) return undefined;
    const length = this.buffered.readInt32BE(0);
    if (length < 8 || length > MAX_PACKET_BYTES) {
      throw new ProtocolViolation('08P01', 'invalid length of startup packet');
    }
    if (this.buffered.length < length) return undefined;
    const code = this.buffered.readInt32BE(4);
    this.buffered = this.buffered.subarray(length);
    if (code === SSL_REQUEST || code === GSS_REQUEST) return 'encryption';
    if (code === CANCEL_REQUEST) return 'cancel';
    if (code === PROTOCOL_3_0) return 'session';
    throw new ProtocolViolation('0A000', 'only version 3.0 of the protocol is supported');
  }

  /** Returns and forgets the bytes behind the last request. */
  takeRest(): Buffer {
    const rest = this.buffered;
    this.buffered = Buffer.alloc(0);
    return rest;
  }
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
