import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;
// The longest row is an answer kept for repeats, some kilobytes. A file without line ends is not to be held whole.
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line without its end; `isEnded` is false for a last one that has none. */
export interface FileLine {
  bytes: Buffer;
  isEnded: boolean;
}

/** The lines of a file as bytes, a few megabytes in memory however long it is. Past the longest line it gives up. */
export async function* fileLines(path: string): AsyncGenerator<FileLine> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield { bytes: bytes.subarray(start, end), isEnded: true };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) break;
  }
  if (rest.length > 0) yield { bytes: rest, isEnded: false };
}
