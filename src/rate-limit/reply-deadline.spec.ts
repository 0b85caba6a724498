import { describe, expect, it } from '@jest/globals';
import { withinDeadline } from './reply-deadline.js';

describe('the deadline of a reply', () => {
  it('passes a reply on, and a failure', async () => {
    await expect(withinDeadline(Promise.resolve(1))).resolves.toBe(1);
    await expect(withinDeadline(Promise.reject(new Error('closed')))).rejects.toThrow('closed');
  });

  it('gives up on silence', async () => {
    await expect(withinDeadline(new Promise(() => undefined), 20)).rejects.toThrow('within 20 ms');
  });

  it('does not count a stall of our own, during which the reply came in', async () => {
    let arrive: (value: number) => void = () => undefined;
    const reply = new Promise<number>((resolve) => (arrive = resolve));
    const answered = withinDeadline(reply, 20);
    const startMs = performance.now();
    while (performance.now() - startMs < 60);
    // As a socket does: read on the next turn.
    setImmediate(() => setImmediate(() => arrive(1)));
    await expect(answered).resolves.toBe(1);
  });
});
