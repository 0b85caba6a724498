import { createHash } from 'node:crypto';
import { ProtocolViolation } from '../errors.js';
import { cstring, encodeFrame, type Frame, readCstring } from './frames.js';
import type { Unit } from './units.js';

// PostgreSQL silently cuts longer names.
const NAME_LIMIT_BYTES = 63;
const STATEMENT = 'S'.charCodeAt(0);
const USES_STATEMENT = 'BD';
const COPY_FAIL = encodeFrame('f', cstring('COPY FROM STDIN is not supported; use INSERT'));

/**
 * Separates one connection's prepared statements from all others, although they live in one session: named statements
 * get the connection's prefix, and the unnamed one must be used in the unit that prepares it. Portals need no
 * prefix, because they end with their transaction and transactions do not overlap.
 */
export class ConnectionStatements {
  private readonly prefix: string;
  private readonly open = new Set<string>();
  private mayCopy = false;

  constructor(connectionId: number) {
    this.prefix = `c${connectionId.toString(36)}_`;
  }

  /**
   * The unit as the shared session receives it.
   * @throws ProtocolViolation 0A000 when it uses an unnamed statement that an earlier unit prepared
   */
  rewrite(unit: Unit): Buffer {
    let hasUnnamed = false;
    const parts: Buffer[] = [];
    for (const frame of unit) {
      const nameAt = nameOffset(frame);
      const isUnnamed = nameAt !== undefined && frame.body[nameAt] === 0;
      if (isUnnamed && frame.type === 'P') hasUnnamed = true;
      if (isUnnamed && USES_STATEMENT.includes(frame.type) && !hasUnnamed) {
        throw new ProtocolViolation('0A000', 'an unnamed statement must be used before the next sync');
      }
      parts.push(this.rename(frame, nameAt), ...this.copyRefusal(frame));
    }
    return Buffer.concat(parts);
  }

  /** The frames that remove this connection's statements from the session. */
  closeAll(): Buffer[] {
    return [...this.open].map((name) => encodeFrame('C', cstring(`S${name}`)));
  }

  private rename({ type, body, bytes }: Frame, nameAt: number | undefined): Buffer {
    if (nameAt === undefined) return bytes;
    const { text, end } = readCstring(body, nameAt);
    if (text === '') return bytes;
    const name = this.inSession(text);
    if (type === 'P') this.open.add(name);
    if (type === 'C') this.open.delete(name);
    return encodeFrame(type, body.subarray(0, nameAt), cstring(name), body.subarray(end));
  }

  private inSession(name: string): string {
    const readable = this.prefix + name;
    if (Buffer.byteLength(readable) <= NAME_LIMIT_BYTES) return readable;
    return this.prefix + createHash('sha256').update(name).digest('hex').slice(0, 40);
  }

  /**
   * COPY FROM STDIN would wait inside PGlite for its data, and block every client. A CopyFail right behind it ends it
   * with an error; behind any other statement the server ignores the CopyFail, so a text that only looks like such a
   * COPY still runs.
   */
  private copyRefusal({ type, body }: Frame): Buffer[] {
    if (type === 'P' || type === 'Q') {
      const text = body.toString('latin1');
      // Never reset: a prepared COPY may be executed at any later time.
      if (/\bcopy\b/i.test(text) && /\bstdin\b/i.test(text)) this.mayCopy = true;
    }
    return this.mayCopy && (type === 'Q' || type === 'E') ? [COPY_FAIL] : [];
  }
}

/** Where a Parse, Bind, Describe or Close names a prepared statement; undefined for a frame that names none. */
function nameOffset({ type, body }: Frame): number | undefined {
  if (type === 'P') return 0;
  if (type === 'B') return readCstring(body, 0).end;
  return (type === 'D' || type === 'C') && body[0] === STATEMENT ? 1 : undefined;
}
