import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.js';
import { retryDelayMs } from './retrying-fetch.js';
import type { Timer } from './timer.js';

/** One page of a feed. */
export interface FeedPage<Event> {
  items: Event[];
  /** Where to go on, also after an empty page. */
  nextCursor: string;
  /** Whether the feed already has more. */
  hasMore: boolean;
}

/** The pause after a page that ends the feed. */
const PAUSE_MS = 2_000;
/** The signal of a follower without one. */
const NEVER = new AbortController().signal;

export interface FollowOptions {
  /** Where to begin: a cursor that was kept, or `latest`. Default: the oldest event that the service keeps. */
  cursor?: string | undefined;
  /** How long to wait when no further event is there. Default: 2 s. */
  pauseMs?: number;
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * The events of a feed, one after the other, for ever: `for await (const event of follower)`. It waits through refusals by limits, restarts and
 * lost connections. It rejects with every other error, such as `event_expired`.
 */
export class Follower<Event> implements AsyncIterable<Event, void, undefined> {
  #cursor: string | undefined;
  readonly #list: (cursor: string | undefined) => Promise<FeedPage<Event>>;
  readonly #timer: Timer;
  readonly #pauseMs: number;
  readonly #signal: AbortSignal;

  constructor(
    list: (cursor: string | undefined) => Promise<FeedPage<Event>>,
    timer: Timer,
    { cursor, pauseMs = PAUSE_MS, signal = NEVER }: FollowOptions,
  ) {
    this.#list = list;
    this.#timer = timer;
    this.#cursor = cursor;
    this.#pauseMs = pauseMs;
    this.#signal = signal;
  }

  /**
   * Where to go on after the last page whose events were all taken. Keep it together with what the events changed, and begin there after a
   * restart: events of an unfinished page come again.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The pages of events that are not empty: `cursor` passes a page when the next one is asked for. */
  async *pages(): AsyncGenerator<Event[], void, undefined> {
    for (;;) {
      const { items, nextCursor, hasMore } = await this.#page();
      if (items.length > 0) yield items;
      this.#cursor = nextCursor;
      if (!hasMore) await this.#timer.wait(this.#pauseMs, this.#signal);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const events of this.pages()) yield* events;
  }

  async #page(): Promise<FeedPage<Event>> {
    for (let failures = 0; ; failures++) {
      this.#signal.throwIfAborted();
      try {
        return await this.#list(this.#cursor);
      } catch (error) {
        if (!mayPass(error)) throw error;
        const retryAfterMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await this.#timer.wait(retryDelayMs(failures, retryAfterMs, this.#timer.random()), this.#signal);
      }
    }
  }
}

/** Refused by a limit, or a service, proxy or network that is away for a while. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  const isAnswer = error instanceof ApiError || error instanceof UnexpectedAnswerError;
  return isAnswer && (error.status === 429 || error.status >= 500);
}
