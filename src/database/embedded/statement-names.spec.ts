import { describe, expect, it } from '@jest/globals';
import { cstring, encodeFrame, type Frame, FrameReader } from './frames.js';
import { expectUnnamedStatement, StatementNames } from './statement-names.js';

function frame(type: string, ...parts: Buffer[]): Frame {
  const [only] = [...new FrameReader(10_000).push(encodeFrame(type, ...parts))];
  return only!;
}

const parse = (name: string) => frame('P', cstring(name), cstring('select 1'), Buffer.alloc(2));
const bind = (portal: string, name: string) => frame('B', cstring(portal), cstring(name), Buffer.alloc(6));
const nameIn = (bytes: Buffer, skip: number) => bytes.toString('utf8', 5).split('\0')[skip];

describe('StatementNames', () => {
  it('gives two connections different names for the same one, and one connection the same in every frame', () => {
    const [mine, other] = [new StatementNames(1), new StatementNames(2)];
    const name = nameIn(mine.rewrite(parse('find')), 0);
    expect(nameIn(other.rewrite(parse('find')), 0)).not.toBe(name);
    expect(nameIn(mine.rewrite(bind('portal', 'find')), 0)).toBe('portal');
    expect(nameIn(mine.rewrite(bind('portal', 'find')), 1)).toBe(name);
    expect(nameIn(mine.rewrite(frame('D', cstring('Sfind'))), 0)).toBe(`S${name}`);
    expect(nameIn(mine.rewrite(frame('C', cstring('Sfind'))), 0)).toBe(`S${name}`);
  });

  it('leaves portals and the unnamed statement as they are', () => {
    const names = new StatementNames(1);
    for (const same of [
      parse(''),
      bind('find', ''),
      frame('D', cstring('Pfind')),
      frame('C', cstring('Pfind')),
    ]) {
      expect(names.rewrite(same)).toEqual(same.bytes);
    }
  });

  it('keeps long names apart, which PostgreSQL would cut to the same 63 bytes', () => {
    const names = new StatementNames(1);
    const [a, b] = ['a', 'b'].map((end) => nameIn(names.rewrite(parse('x'.repeat(80) + end)), 0)!);
    expect(a).not.toBe(b);
    expect(Math.max(a!.length, b!.length)).toBeLessThanOrEqual(63);
  });

  it('closes what is open when the connection goes, and nothing else', () => {
    const names = new StatementNames(1);
    names.rewrite(parse('kept'));
    names.rewrite(parse('gone'));
    names.rewrite(frame('C', cstring('Sgone')));
    expect(names.closeAll().map((bytes) => nameIn(bytes, 0))).toEqual(['Sc1_kept']);
  });

  it('remembers the unnamed statement until a query or a close drops it', () => {
    const names = new StatementNames(1);
    names.rewrite(parse(''));
    expect(names.unnamed).toEqual(parse('').bytes);
    names.rewrite(frame('Q', cstring('select 1')));
    expect(names.unnamed).toBeUndefined();
  });
});

describe('expectUnnamedStatement', () => {
  it('is true only for frames that use it before they prepare it', () => {
    expect(expectUnnamedStatement([bind('', ''), parse('')])).toBe(true);
    expect(expectUnnamedStatement([frame('D', cstring('S'))])).toBe(true);
    expect(expectUnnamedStatement([parse(''), bind('', '')])).toBe(false);
    expect(expectUnnamedStatement([bind('', 'named'), frame('D', cstring('P'))])).toBe(false);
  });
});
