import { describe, expect, it } from '@jest/globals';
import { showProgress } from './output.js';

class Output {
  text = '';
  constructor(readonly isTTY: boolean) {}
  write(text: string): void {
    this.text += text;
  }
}

describe('showProgress', () => {
  it('redraws a bar on one line of a terminal, at most once per percent', () => {
    const output = new Output(true);
    const show = showProgress(output);
    for (let done = 0; done <= 2000; done++) show('adding', done, 2000);
    const drawn = output.text.split('\r\x1b[K');
    expect(drawn).toHaveLength(101);
    expect(drawn[50]).toBe(`${'█'.repeat(15)}${'░'.repeat(15)}  50% adding 1,000 of 2,000`);
    expect(drawn[100]).toBe(`${'█'.repeat(30)} 100% adding 2,000 of 2,000\n`);
  });

  it('prints one line per 10 % without a terminal, and starts again for other work', () => {
    const output = new Output(false);
    const show = showProgress(output);
    for (let done = 1; done <= 1000; done++) show('adding', done, 1000);
    show('checking', 999, 1000);
    const lines = output.text.split('\n');
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe('adding 100 of 1,000 (10%)');
    expect(lines.slice(9)).toEqual(['adding 1,000 of 1,000 (100%)', 'checking 999 of 1,000 (99%)', '']);
  });

  it('is complete at once if there is no work', () => {
    const output = new Output(false);
    showProgress(output)('adding', 0, 0);
    expect(output.text).toBe('adding 0 of 0 (100%)\n');
  });
});
