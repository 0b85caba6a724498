import { describe, expect, it } from '@jest/globals';
import { ProtocolViolation } from '../errors.js';
import { cstring, encodeFrame, FrameReader, readCstring } from './frames.js';

const LIMIT = 1000;
const stream = Buffer.concat([
  encodeFrame('P', cstring(''), cstring('select 1')),
  encodeFrame('S'),
  encodeFrame('B', Buffer.alloc(200, 7)),
  encodeFrame('S'),
]);

function readIn(pieces: Buffer[]): string {
  const reader = new FrameReader(LIMIT);
  return pieces
    .flatMap((piece) => [...reader.push(piece)])
    .map((frame) => `${frame.type}${frame.body.length}:${frame.bytes.length}`)
    .join(' ');
}

describe('FrameReader', () => {
  it('finds the same frames wherever the stream is split', () => {
    const whole = readIn([stream]);
    expect(whole).toBe('P10:15 S0:5 B200:205 S0:5');
    for (let cut = 1; cut < stream.length; cut++) {
      expect(readIn([stream.subarray(0, cut), stream.subarray(cut)])).toBe(whole);
    }
    expect(readIn([...stream].map((byte) => Buffer.from([byte])))).toBe(whole);
  });

  it('refuses a frame over the limit as soon as its length is known', () => {
    const header = encodeFrame('Q', Buffer.alloc(LIMIT)).subarray(0, 5);
    expect(() => readIn([header])).toThrow(ProtocolViolation);
  });

  it('refuses an impossible length', () => {
    expect(() => readIn([Buffer.from([0x51, 0, 0, 0, 3])])).toThrow('invalid message length');
    expect(() => readIn([Buffer.from([0x51, 255, 255, 255, 255])])).toThrow('invalid message length');
  });
});

describe('readCstring', () => {
  it('refuses a text without a terminator', () => {
    expect(() => readCstring(Buffer.from('abc'), 0)).toThrow(ProtocolViolation);
  });
});
