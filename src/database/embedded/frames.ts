/** A frontend message: its type, its body without the length, and the whole as it travelled. */
export interface Frame {
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** What a client sent is not the protocol, or more than we hold for it. */
export class ProtocolViolation extends Error {
  constructor(
    readonly sqlState: string,
    message: string,
  ) {
    super(message);
  }
}

const HEADER_BYTES = 5;
const NO_BYTES = Buffer.alloc(0);

/**
 * Cuts a byte stream into frames. Nothing is joined before a whole frame has arrived, so that a parameter of
 * many megabytes is copied once and not once for every piece of it.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private buffered = 0;
  private wanted = HEADER_BYTES;

  constructor(private readonly maxBytes: number) {}

  /** Adds bytes and yields every frame that is now whole. */
  *push(chunk: Buffer): Generator<Frame> {
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    if (this.buffered < this.wanted) return;
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

  private keep(rest: Buffer, wanted: number): void {
    this.chunks = rest.length > 0 ? [rest] : [];
    this.buffered = rest.length;
    this.wanted = wanted;
  }
}

/** The frame's bytes as they travel. */
export function encodeFrame(type: string, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = type.charCodeAt(0);
  header.writeInt32BE(length, 1);
  return Buffer.concat([header, ...parts], length + 1);
}

/** Text as the protocol writes it, closed by a zero byte. */
export function cstring(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf8');
}

/** Reads a zero-closed text; returns it with the offset behind it. */
export function readCstring(body: Buffer, start: number): { text: string; end: number } {
  const zero = body.indexOf(0, start);
  if (zero < 0) throw new ProtocolViolation('08P01', 'invalid string in message');
  return { text: body.toString('utf8', start, zero), end: zero + 1 };
}
