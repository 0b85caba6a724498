import { type FeedPlace, placeOf } from './event-cursor.js';
import type { Feed, FeedRead } from '../events.repository.js';
import { eventsOf, type StoredEvent } from './stored-event.js';

/** A page of the feed. */
export interface EventPage {
  items: StoredEvent[];
  /** Where to go on: after the last event that was read, shown or not. */
  next: FeedPlace;
  /** Whether the feed already has more after `next`. */
  hasMore: boolean;
}

/** The place before the oldest event that is kept. */
export const beginningOf = (feed: Feed) => placeOf(feed.removedPosition, feed.removedMark);

/** The place after the newest event. */
export const endOf = (feed: Feed) => placeOf(feed.lastPosition, feed.lastMark);

/**
 * Whether a reader at this place has missed nothing: no event after it is removed, and the place belongs to this history, not to one that
 * a restored backup has replaced.
 */
export function isKept({ position, bits }: FeedPlace, { feed, cursorMark }: FeedRead): boolean {
  if (position < feed.removedPosition || position > feed.lastPosition) return false;
  const mark = position === feed.removedPosition ? feed.removedMark : cursorMark;
  return placeOf(position, mark).bits === bits;
}

/** The page of at most `limit` events after `start`. */
export function pageOfRead({ feed, end, rows }: FeedRead, start: FeedPlace, limit: number): EventPage {
  const found = rows.flatMap(eventsOf).filter(({ place }) => place.position > start.position);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (last && found.length > limit) return { items, next: last.place, hasMore: true };
  if (!end) return { items, next: start, hasMore: false };
  return { items, next: placeOf(end.position, end.mark), hasMore: end.position < feed.lastPosition };
}
