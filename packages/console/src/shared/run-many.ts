import { ApiError } from 'animal-store-client';
import { sentenceOf } from '../api/problems';

export interface Outcome<Item> {
  item: Item;
  /** What went wrong, as a sentence; undefined: it is done. */
  problem?: string;
}

interface RunOptions<Item> {
  signal: AbortSignal;
  onOutcome: (outcome: Outcome<Item>) => void;
  /** The key is out of requests until then; undefined: it goes on. */
  onPause: (untilMs: number | undefined) => void;
}

/**
 * Does this work for one item after the other. A key that is out of requests pauses it; a fault of an item is that item's outcome; a lost
 * session or network ends it, because the rest would fail alike.
 */
export async function runMany<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  { signal, onOutcome, onPause }: RunOptions<Item>,
): Promise<void> {
  for (const item of items) {
    for (let isDone = false; !isDone && !signal.aborted;) {
      try {
        await work(item);
        onOutcome({ item });
        isDone = true;
      } catch (error) {
        const waitMs = error instanceof ApiError && error.status === 429 ? error.retryAfterMs : undefined;
        if (waitMs !== undefined) {
          onPause(Date.now() + waitMs);
          await waitFor(waitMs, signal);
          onPause(undefined);
          continue;
        }
        onOutcome({ item, problem: sentenceOf(error) });
        isDone = true;
        if (!(error instanceof ApiError) || error.status === 401 || error.status >= 500) return;
      }
    }
  }
}

function waitFor(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
