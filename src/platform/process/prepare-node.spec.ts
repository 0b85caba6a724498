import { describe, expect, it } from '@jest/globals';
import { keepClassOfTicks, keptTicks } from './prepare-node.js';

describe('keepClassOfTicks', () => {
  it('keeps the object that Node makes for a tick', async () => {
    keepClassOfTicks();
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    // Other resources, such as those of timers and promises, have no `args`.
    expect(keptTicks).toEqual([expect.objectContaining({ callback: expect.any(Function), args: undefined })]);
  });
});
