import { createHash } from 'node:crypto';
import { cstring, encodeFrame, type Frame, readCstring } from './frames.js';

// Names are hash keys of 64 bytes with their closing zero inside PostgreSQL: longer ones are silently cut.
const NAME_LIMIT = 63;

/**
 * Keeps one connection's prepared statements apart from every other's, though all live in one session: named
 * ones carry the connection's prefix. Portals need none: they end with their transaction, which no two share.
 */
export class StatementNames {
  private readonly prefix: string;
  private readonly open = new Set<string>();
  private unnamedParse: Buffer | undefined;

  constructor(connectionId: number) {
    this.prefix = `c${connectionId.toString(36)}_`;
  }

  /** The frame's bytes with the statement's name as the session knows it. */
  rewrite(frame: Frame): Buffer {
    const { type, body } = frame;
    if (type === 'P') return this.parse(frame);
    if (type === 'B') {
      const portal = readCstring(body, 0);
      const name = readCstring(body, portal.end);
      if (name.text === '') return frame.bytes;
      const head = Buffer.concat([body.subarray(0, portal.end), cstring(this.inSession(name.text))]);
      return encodeFrame(type, head, body.subarray(name.end));
    }
    if ((type === 'D' || type === 'C') && body[0] === 0x53 /* S */) return this.describeOrClose(frame);
    // A simple query drops the unnamed statement, as the protocol says.
    if (type === 'Q') this.unnamedParse = undefined;
    return frame.bytes;
  }

  /** The statement without a name, to be prepared anew when another connection has used that place since. */
  get unnamed(): Buffer | undefined {
    return this.unnamedParse;
  }

  /** The frames that take this connection's statements out of the session. */
  closeAll(): Buffer[] {
    return [...this.open].map((name) => encodeFrame('C', cstring(`S${name}`)));
  }

  private parse({ body, bytes }: Frame): Buffer {
    const name = readCstring(body, 0);
    if (name.text === '') {
      // A copy: the frame's own bytes would keep the whole piece alive that it arrived in.
      this.unnamedParse = Buffer.from(bytes);
      return bytes;
    }
    const inSession = this.inSession(name.text);
    this.open.add(inSession);
    return encodeFrame('P', cstring(inSession), body.subarray(name.end));
  }

  private describeOrClose({ type, body, bytes }: Frame): Buffer {
    const name = readCstring(body, 1);
    if (name.text === '') {
      if (type === 'C') this.unnamedParse = undefined;
      return bytes;
    }
    const inSession = this.inSession(name.text);
    if (type === 'C') this.open.delete(inSession);
    return encodeFrame(type, cstring(`S${inSession}`));
  }

  private inSession(name: string): string {
    const readable = this.prefix + name;
    if (Buffer.byteLength(readable) <= NAME_LIMIT) return readable;
    return this.prefix + createHash('sha256').update(name).digest('hex').slice(0, 40);
  }
}

/** Whether the frames use the unnamed statement as an earlier unit left it, without preparing it themselves. */
export function expectUnnamedStatement(frames: readonly Frame[]): boolean {
  for (const { type, body } of frames) {
    if (type === 'P' && body[0] === 0) return false;
    if (type === 'B' && body[readCstring(body, 0).end] === 0) return true;
    if (type === 'D' && body[0] === 0x53 && body[1] === 0) return true;
  }
  return false;
}

/** Whether the frames fill or empty the session's one place for an unnamed statement. */
export function replaceUnnamedStatement(frames: readonly Frame[]): boolean {
  return frames.some(({ type, body }) => type === 'Q' || (type === 'P' && body[0] === 0));
}
