import { describe, expect, it } from '@jest/globals';
import { ProtocolViolation } from '../errors.js';
import { cstring, encodeFrame, type Frame, FrameReader } from './frames.js';
import { ConnectionStatements } from './statements.js';

function frame(type: string, ...parts: Buffer[]): Frame {
  const [only] = [...new FrameReader(10_000).push(encodeFrame(type, ...parts))];
  return only!;
}

const parse = (name: string) => frame('P', cstring(name), cstring('select 1'), Buffer.alloc(2));
const bind = (portal: string, name: string) => frame('B', cstring(portal), cstring(name), Buffer.alloc(6));
const nameIn = (bytes: Buffer, skip: number) => bytes.toString('utf8', 5).split('\0')[skip];

describe('ConnectionStatements', () => {
  it('maps a name to one name per connection, the same in every frame', () => {
    const [mine, other] = [new ConnectionStatements(1), new ConnectionStatements(2)];
    const name = nameIn(mine.rewrite([parse('find')]), 0);
    expect(nameIn(other.rewrite([parse('find')]), 0)).not.toBe(name);
    expect(nameIn(mine.rewrite([bind('portal', 'find')]), 0)).toBe('portal');
    expect(nameIn(mine.rewrite([bind('portal', 'find')]), 1)).toBe(name);
    expect(nameIn(mine.rewrite([frame('D', cstring('Sfind'))]), 0)).toBe(`S${name}`);
    expect(nameIn(mine.rewrite([frame('C', cstring('Sfind'))]), 0)).toBe(`S${name}`);
  });

  it('does not rename portals and the unnamed statement', () => {
    const names = new ConnectionStatements(1);
    const unit = [parse(''), bind('find', ''), frame('D', cstring('Pfind')), frame('C', cstring('Pfind'))];
    expect(names.rewrite(unit)).toEqual(Buffer.concat(unit.map(({ bytes }) => bytes)));
  });

  it('distinguishes long names that PostgreSQL would cut to the same 63 bytes', () => {
    const names = new ConnectionStatements(1);
    const [a, b] = ['a', 'b'].map((end) => nameIn(names.rewrite([parse('x'.repeat(80) + end)]), 0)!);
    expect(a).not.toBe(b);
    expect(Math.max(a!.length, b!.length)).toBeLessThanOrEqual(63);
  });

  it('closes only the statements that are open', () => {
    const names = new ConnectionStatements(1);
    names.rewrite([parse('kept')]);
    names.rewrite([parse('gone')]);
    names.rewrite([frame('C', cstring('Sgone'))]);
    expect(names.closeAll().map((bytes) => nameIn(bytes, 0))).toEqual(['Sc1_kept']);
  });

  it('allows the unnamed statement only in the unit that prepares it', () => {
    const names = new ConnectionStatements(1);
    const refused = [[bind('', '')], [frame('D', cstring('S'))], [bind('', ''), parse('')]];
    for (const unit of refused) expect(() => names.rewrite(unit)).toThrow(ProtocolViolation);
    for (const unit of [
      [parse(''), bind('', '')],
      [bind('', 'named'), frame('D', cstring('P'))],
    ]) {
      expect(() => names.rewrite(unit)).not.toThrow();
    }
  });
});
