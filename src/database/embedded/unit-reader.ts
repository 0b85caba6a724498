import { type Frame, FrameReader, ProtocolViolation } from './frames.js';

/** Frames that belong together: everything up to a query, a function call, a sync or a flush. */
export interface Unit {
  readonly frames: readonly Frame[];
  /** False behind a flush: the server answers, but says that it is ready only after the sync to come. */
  readonly endsInSync: boolean;
}

const ENDS = 'QFSH';
const PARTS = 'PBDEC';
// Left over from a COPY that was refused: a client may have sent them before it knew.
const IGNORED = 'dcf';

/**
 * Collects a client's frames into units. One session stands behind all clients, so that nothing smaller may
 * be run: between a Bind and its Execute another client's frames would change what is executed.
 */
export class UnitReader {
  private readonly reader: FrameReader;
  private frames: Frame[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {
    this.reader = new FrameReader(maxBytes);
  }

  /** Adds bytes and yields every unit that is now whole; `undefined` is the client's good-bye. */
  *push(chunk: Buffer): Generator<Unit | undefined> {
    for (const frame of this.reader.push(chunk)) {
      if (frame.type === 'X') {
        yield undefined;
        return;
      }
      if (IGNORED.includes(frame.type)) continue;
      this.add(frame);
      if (ENDS.includes(frame.type)) yield this.take(frame.type !== 'H');
    }
  }

  private add(frame: Frame): void {
    if (!ENDS.includes(frame.type) && !PARTS.includes(frame.type)) {
      throw new ProtocolViolation('08P01', `invalid frontend message type ${frame.type.charCodeAt(0)}`);
    }
    this.frames.push(frame);
    this.bytes += frame.bytes.length;
    if (this.bytes > this.maxBytes) throw new ProtocolViolation('54000', 'too many messages without a sync');
  }

  private take(endsInSync: boolean): Unit {
    const unit = { frames: this.frames, endsInSync };
    this.frames = [];
    this.bytes = 0;
    return unit;
  }
}
