import { ProtocolViolation } from '../errors.js';
import { type Frame, FrameReader } from './frames.js';

/** Frames that run together: everything up to a query or a sync. */
export type Unit = readonly Frame[];

const QUERY = 'Q';
const SYNC = 'S';
const PARSE_BIND_DESCRIBE_EXECUTE_CLOSE_SYNC = 'PBDECS';
// A client may send the data of a COPY before it learns that the COPY was refused.
const COPY_DATA_DONE_FAIL = 'dcf';
const TERMINATE = 'X';
const NO_TYPE = Buffer.from([0]);
/** What a frame takes beside its bytes: an object and two views. */
const FRAME_OVERHEAD_BYTES = 500;

/**
 * Collects a client's frames into units. All clients share one session, so nothing smaller may run: between a Bind and
 * its Execute, another client's frames would change what is executed. A flush is refused, because it would end a unit
 * without a sync; pg sends one only for portals with a row limit.
 */
export class UnitReader {
  /** Packets at the start of the protocol have no type, and each is a unit. */
  isStarting = true;
  private readonly reader: FrameReader;
  private frames: Frame[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {
    this.reader = new FrameReader(maxBytes);
  }

  /** Adds bytes and yields every complete unit; `undefined` means that the client terminates the connection. */
  *push(chunk: Buffer): Generator<Unit | undefined> {
    const isPacketStart = this.isStarting && this.reader.isEmpty;
    const bytes = isPacketStart ? Buffer.concat([NO_TYPE, chunk]) : chunk;
    for (const frame of this.reader.push(bytes)) {
      if (frame.type === TERMINATE) {
        yield undefined;
        return;
      }
      if (this.isStarting) {
        yield [frame];
        continue;
      }
      if (this.frames.length === 0 && COPY_DATA_DONE_FAIL.includes(frame.type)) continue;
      this.add(frame);
      if (frame.type === QUERY || frame.type === SYNC) yield this.take();
    }
  }

  private add(frame: Frame): void {
    // After an error, PostgreSQL skips everything up to a sync, so that a query before it would get no response.
    const supported = PARSE_BIND_DESCRIBE_EXECUTE_CLOSE_SYNC + (this.frames.length === 0 ? QUERY : '');
    if (!supported.includes(frame.type)) {
      throw new ProtocolViolation('0A000', `messages of type ${frame.type.charCodeAt(0)} are refused here`);
    }
    this.frames.push(frame);
    this.bytes += frame.bytes.length + FRAME_OVERHEAD_BYTES;
    if (this.bytes > this.maxBytes) throw new ProtocolViolation('54000', 'too many messages without a sync');
  }

  private take(): Unit {
    const unit = this.frames;
    this.frames = [];
    this.bytes = 0;
    return unit;
  }
}
