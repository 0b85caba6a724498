import { ProtocolViolation } from './frames.js';

const MAX_PACKET_BYTES = 10_000;
const PROTOCOL_3 = 3;
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;

/** What a client's first packets ask for. */
export type StartupRequest =
  | { kind: 'encryption' }
  | { kind: 'cancel' }
  | { kind: 'session'; minorVersion: number; unknownOptions: string[] };

/** Reads the packets that come before the first frame; they carry no type. */
export class StartupReader {
  private buffered = Buffer.alloc(0);

  /** Adds bytes; returns a request once it is whole. */
  push(chunk: Buffer): StartupRequest | undefined {
    this.buffered = Buffer.concat([this.buffered, chunk]);
    if (this.buffered.length < 8) return undefined;
    const length = this.buffered.readInt32BE(0);
    if (length < 8 || length > MAX_PACKET_BYTES) {
      throw new ProtocolViolation('08P01', 'invalid length of startup packet');
    }
    if (this.buffered.length < length) return undefined;
    const request = readRequest(this.buffered.subarray(4, length));
    this.buffered = this.buffered.subarray(length);
    return request;
  }

  /** The bytes behind the last request. */
  takeRest(): Buffer {
    const rest = this.buffered;
    this.buffered = Buffer.alloc(0);
    return rest;
  }
}

function readRequest(packet: Buffer): StartupRequest {
  const code = packet.readInt32BE(0);
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption' };
  if (code === CANCEL_REQUEST) return { kind: 'cancel' };
  if (code >>> 16 !== PROTOCOL_3) throw new ProtocolViolation('0A000', 'unsupported frontend protocol');
  // Settings a client asks for at startup are left aside: there is one session, and they would be everyone's.
  const names = packet
    .toString('utf8', 4)
    .split('\0')
    .filter((_, index) => index % 2 === 0);
  const unknownOptions = names.filter((name) => name.startsWith('_pq_.'));
  return { kind: 'session', minorVersion: code & 0xffff, unknownOptions };
}
