import { describe, expect, it } from '@jest/globals';
import { showProgress } from './output.js';

describe('showProgress', () => {
  it('prints one line per 10 %, and starts again for other work', () => {
    const lines: string[] = [];
    const show = showProgress((text) => lines.push(text));
    for (let done = 1; done <= 1000; done++) show('adding', done, 1000);
    show('checking', 999, 1000);
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe('adding 100 of 1,000 (10%)\n');
    expect(lines.slice(9)).toEqual(['adding 1,000 of 1,000 (100%)\n', 'checking 999 of 1,000 (99%)\n']);
  });

  it('is complete at once if there is no work', () => {
    const lines: string[] = [];
    showProgress((text) => lines.push(text))('adding', 0, 0);
    expect(lines).toEqual(['adding 0 of 0 (100%)\n']);
  });
});
