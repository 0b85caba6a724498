import { describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError, type ErrorCode } from './errors.js';
import { Follower, type FeedPage } from './follow.js';
import { TurnedTimer } from '../test/turned-timer.js';

type Step = FeedPage<number> | Error;

const page = (items: number[], nextCursor: string, hasMore = false): FeedPage<number> => ({
  items,
  nextCursor,
  hasMore,
});

const refusal = (status: number, code: ErrorCode, headers?: HeadersInit) =>
  new ApiError(
    { code, message: code, status },
    new Response(null, { status, ...(headers && { headers }) }),
    0,
  );

const GONE = refusal(410, 'event_expired');

/** Follows a script, which ends with an error that a follower does not wait for. */
async function follow(steps: Step[], cursor?: string) {
  const [asked, got]: [(string | undefined)[], number[]] = [[], []];
  const timer = new TurnedTimer();
  const list = (at: string | undefined) => {
    asked.push(at);
    const step = steps.shift() ?? GONE;
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
  };
  const follower = new Follower(list, timer, { cursor, pauseMs: 2_000 });
  const cursors: (string | undefined)[] = [];
  const ended = (async () => {
    for await (const event of follower) {
      got.push(event);
      cursors.push(follower.cursor);
    }
  })();
  await expect(ended).rejects.toBe(GONE);
  return { asked, got, cursors, follower, waitsMs: timer.waitsMs };
}

describe('a follower of the feed', () => {
  it('goes on where each page says, and pauses at the end only', async () => {
    const { asked, got, waitsMs } = await follow([page([1, 2], 'a', true), page([3], 'b'), page([], 'c')]);

    expect(got).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 'a', 'b', 'c']);
    expect(waitsMs).toEqual([2_000, 2_000]);
  });

  it('begins at a cursor, and keeps the one before a page until all its events are taken', async () => {
    const { asked, cursors, follower } = await follow([page([1, 2], 'b', true), page([3], 'c')], 'a');

    expect(asked[0]).toBe('a');
    expect(cursors).toEqual(['a', 'a', 'b']);
    expect(follower.cursor).toBe('c');
  });

  it('waits through limits, restarts and lost connections, and misses nothing', async () => {
    const { asked, got, waitsMs } = await follow([
      page([1], 'a', true),
      refusal(429, 'rate_limit_exceeded', { 'retry-after': '90' }),
      refusal(503, 'service_unavailable'),
      new ConnectionError('no answer'),
      page([2], 'b', true),
    ]);

    expect(got).toEqual([1, 2]);
    expect(asked).toEqual([undefined, 'a', 'a', 'a', 'a', 'b']);
    expect(waitsMs).toEqual([90_375, 750, 1_500]);
  });

  it('ends when the caller cancels', async () => {
    const cancelled = new AbortController();
    const list = () => Promise.resolve(page([], 'a'));
    const timer = new TurnedTimer(() => cancelled.abort(new Error('enough')));

    const all = Array.fromAsync(new Follower(list, timer, { signal: cancelled.signal }));

    await expect(all).rejects.toThrow('enough');
  });
});
