import { describe, expect, it } from '@jest/globals';
import { cstring, encodeFrame } from './frames.js';
import { UnitReader } from './units.js';

const LIMIT = 100_000;
const EXECUTE = encodeFrame('E');
const SYNC = encodeFrame('S');
const COPY_DATA = encodeFrame('d', Buffer.alloc(1000));

/** The types of the frames in each unit. */
function unitsIn(...frames: Buffer[]): (string | undefined)[] {
  const reader = new UnitReader(LIMIT);
  reader.isStarting = false;
  return [...reader.push(Buffer.concat(frames))].map((unit) => unit?.map(({ type }) => type).join(''));
}

describe('UnitReader', () => {
  it('ends a unit at a query or a sync', () => {
    const query = encodeFrame('Q', cstring('select 1'));
    expect(unitsIn(query, EXECUTE, EXECUTE, SYNC, SYNC, query, EXECUTE)).toEqual(['Q', 'EES', 'S', 'Q']);
    expect(unitsIn(query, encodeFrame('X'), query)).toEqual(['Q', undefined]);
    expect(() => unitsIn(EXECUTE, query)).toThrow('refused');
  });

  it('bounds the memory of many small messages, not only their bytes', () => {
    expect(unitsIn(...Array<Buffer>(100).fill(EXECUTE), SYNC)).toEqual(['E'.repeat(100) + 'S']);
    expect(() => unitsIn(...Array<Buffer>(1000).fill(EXECUTE))).toThrow('too many messages without a sync');
  });

  it('ignores the data of a refused COPY, but not inside a unit, whose frames would keep it in memory', () => {
    expect(unitsIn(COPY_DATA, encodeFrame('c'), encodeFrame('f'), SYNC)).toEqual(['S']);
    expect(() => unitsIn(EXECUTE, COPY_DATA)).toThrow('refused');
  });
});
