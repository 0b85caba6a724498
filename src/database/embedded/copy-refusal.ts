import { cstring, encodeFrame, type Frame } from './frames.js';

const COPY_FAIL = encodeFrame('f', cstring('the embedded database takes no COPY FROM STDIN; use INSERT'));

/**
 * COPY FROM STDIN would wait for its data inside PGlite, and everyone with it. A CopyFail right behind makes it
 * end with an error; behind anything else the server ignores it, as the protocol says. So a text that merely
 * looks like such a COPY loses nothing.
 */
export class CopyRefusal {
  private suspected = false;

  /** The bytes to send behind this frame, if any. */
  behind({ type, body }: Frame): Buffer[] {
    if (type === 'P' || type === 'Q') {
      const text = body.toString('latin1');
      // Never taken back: what was prepared may be executed at any time.
      if (/\bcopy\b/i.test(text) && /\bstdin\b/i.test(text)) this.suspected = true;
    }
    return this.suspected && (type === 'Q' || type === 'E') ? [COPY_FAIL] : [];
  }
}
