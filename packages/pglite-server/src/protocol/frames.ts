import { ProtocolViolation } from '../errors.js';

/** A message of the protocol: its type, its body without the length, and all of its bytes. */
export interface Frame {
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

const HEADER_BYTES = 5;
const NO_BYTES = Buffer.alloc(0);

/**
 * Cuts a byte stream into frames. Bytes are joined only when a whole frame has arrived, so that a parameter of
 * many megabytes is copied once, not once for every chunk.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bufferedBytes = 0;
  private wantedBytes = HEADER_BYTES;

  constructor(private readonly maxBytes: number) {}

  /** Whether the next byte begins a frame. */
  get isEmpty(): boolean {
    return this.bufferedBytes === 0;
  }

  /** Adds bytes and yields every complete frame. */
  *push(chunk: Buffer): Generator<Frame> {
    this.chunks.push(chunk);
    this.bufferedBytes += chunk.length;
    if (this.bufferedBytes < this.wantedBytes) return;
    let rest = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
    this.keep(NO_BYTES, HEADER_BYTES);
    while (rest.length >= HEADER_BYTES) {
      const end = 1 + this.frameLength(rest);
      if (rest.length < end) {
        this.keep(rest, end);
        return;
      }
      const bytes = rest.subarray(0, end);
      yield { type: String.fromCharCode(bytes[0] ?? 0), body: bytes.subarray(HEADER_BYTES), bytes };
      rest = rest.subarray(end);
    }
    this.keep(rest, HEADER_BYTES);
  }

  private frameLength(bytes: Buffer): number {
    const length = bytes.readInt32BE(1);
    if (length < 4) throw new ProtocolViolation('08P01', 'invalid message length');
    if (length > this.maxBytes) {
      throw new ProtocolViolation(
        '54000',
        `a message of ${length} bytes is over the limit of ${this.maxBytes}`,
      );
    }
    return length;
  }

  private keep(rest: Buffer, wantedBytes: number): void {
    this.chunks = rest.length > 0 ? [rest] : [];
    this.bufferedBytes = rest.length;
    this.wantedBytes = wantedBytes;
  }
}

/** The bytes of a frame. */
export function encodeFrame(type: string, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = type.charCodeAt(0);
  header.writeInt32BE(length, 1);
  return Buffer.concat([header, ...parts], length + 1);
}

/** Text as the protocol writes it: terminated by a zero byte. */
export function cstring(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf8');
}

/** Four bytes, most significant first. */
export function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Reads a zero-terminated text and the offset behind it. */
export function readCstring(body: Buffer, start: number): { text: string; end: number } {
  const zero = body.indexOf(0, start);
  if (zero < 0) throw new ProtocolViolation('08P01', 'invalid string in message');
  return { text: body.toString('utf8', start, zero), end: zero + 1 };
}
