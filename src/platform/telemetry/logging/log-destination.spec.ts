import { describe, expect, it, jest } from '@jest/globals';
import { Writable } from 'node:stream';
import { droppedLines, pipeDestination } from './log-destination.js';

const LINE = `${'x'.repeat(1_023)}\n`;
const MISSING =
  /^\{"level":"warn","time":"[^"]+Z","lines":(\d+),"msg":"dropped lines of the log that were not read"\}\n$/;

/** A pipe whose reader reads when the test says so. */
function pipe() {
  const lines: string[] = [];
  let isRead = false;
  let go = (): void => undefined;
  const stream = new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      lines.push(line);
      if (isRead) done();
      else go = done;
    },
  });
  const read = async () => {
    isRead = true;
    go();
    // `drain` is emitted in a later turn.
    await new Promise(setImmediate);
  };
  return { lines, stream, read };
}

describe('a log whose reader is behind', () => {
  it('keeps 1 MiB, drops what follows, and says how much once it is read', async () => {
    const { lines, stream, read } = pipe();
    const log = pipeDestination(stream);
    const before = droppedLines.count;
    for (let line = 0; line < 3_000; line += 1) log.write(LINE);
    const dropped = droppedLines.count - before;
    expect(dropped).toBe(3_000 - 1_025);
    expect(stream.writableLength).toBeLessThan(1_100_000);
    await read();
    const [, count] = MISSING.exec(lines.at(-1)!)!;
    expect(Number(count)).toBe(dropped);
    log.write(LINE);
    expect(lines).toHaveLength(1_025 + 2);
  });

  it('drops every line once the reader has gone, and says so once', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { stream } = pipe();
    const log = pipeDestination(stream);
    const before = droppedLines.count;
    stream.destroy(new Error('write EPIPE'));
    await new Promise(setImmediate);
    for (let line = 0; line < 3; line += 1) log.write(LINE);
    expect(droppedLines.count - before).toBe(3);
    expect(stderr.mock.calls).toEqual([['The log cannot be written: write EPIPE\n']]);
    stderr.mockRestore();
  });
});
