import { Injectable } from '@nestjs/common';
import type { CallerKey } from '../auth/caller-key.js';
import { stringifyJson } from '../platform/common/json.js';
import { Page } from '../platform/common/paging.js';
import { decodeEventCursor, encodeEventCursor, type FeedPlace, placeOf } from './feed/event-cursor.js';
import { beginningOf, endOf, isKept, pageOfRead } from './feed/event-page.js';
import { type EventType, visibleTypes } from './event-types.js';
import { eventDtoOf } from './event-view.js';
import { eventExpired } from './events.errors.js';
import { EventsRepository } from './events.repository.js';
import type { StoredEvent } from './feed/stored-event.js';

/** The cursor that names the end of the feed. */
export const LATEST = 'latest';

/** Less than every position. */
const BEFORE_ALL = -1n;

/** What a read shows that is only about places. */
const NOTHING = { all: [], own: [] };
const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** Who reads: a key with its access of the moment. */
export type Reader = Pick<CallerKey, 'id' | 'access'>;

/** What a delivery sends of an event. */
export interface ShownEvent {
  id: string;
  /** The JSON that listEvents shows to the same key. */
  json: string;
  place: FeedPlace;
}

/** What follows a place. */
export interface FollowingEvents {
  events: ShownEvent[];
  /** After the last event that was read, shown or not. */
  next: FeedPlace;
  /** Whether the feed already has more after `next`. */
  hasMore: boolean;
  /** False: events after the place were removed before these were read. */
  isKept: boolean;
}

/** The feed as a key sees it. */
@Injectable()
export class EventsService {
  constructor(private readonly repository: EventsRepository) {}

  /**
   * At most `limit` events after `cursor`, the oldest first. Without a cursor it begins with the oldest event that is kept; `latest` is the
   * end of the feed at this moment. `nextCursor` is always there: it passes events that do not match.
   *
   * @throws ApiError `invalid_cursor`, `event_expired`
   */
  async list(
    caller: CallerKey,
    types: readonly EventType[] | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<StoredEvent>> {
    if (cursor === LATEST) return new Page([], encodeEventCursor(await this.end()), false);
    const held = cursor === undefined ? undefined : decodeEventCursor(cursor);
    const visible = visibleTypes(caller.access, types);
    const read = await this.repository.read(held?.position ?? BEFORE_ALL, limit, visible, caller.id);
    if (held && !isKept(held, read)) throw eventExpired();
    const { items, next, hasMore } = pageOfRead(read, held ?? beginningOf(read.feed), limit);
    return new Page(items, encodeEventCursor(next), hasMore);
  }

  /** The place after the newest event. */
  async end(): Promise<FeedPlace> {
    return endOf(await this.repository.feed());
  }

  /**
   * The place that a cursor of listEvents names; `latest` is the end of the feed.
   * @throws ApiError `invalid_cursor`, `event_expired`
   */
  async placeOf(caller: CallerKey, cursor: string): Promise<FeedPlace> {
    if (cursor === LATEST) return this.end();
    await this.list(caller, [], 1, cursor);
    return decodeEventCursor(cursor);
  }

  /** At most `limit` events after `place`, as `reader` sees them now. After a place that is no longer kept: from the oldest kept. */
  async after(
    place: FeedPlace,
    reader: Reader,
    types: readonly EventType[] | undefined,
    limit: number,
  ): Promise<FollowingEvents> {
    const read = await this.repository.read(
      place.position,
      limit,
      visibleTypes(reader.access, types),
      reader.id,
    );
    const kept = isKept(place, read);
    const { items, next, hasMore } = pageOfRead(read, kept ? place : beginningOf(read.feed), limit);
    const events = items.map((event) => ({
      id: event.id,
      json: stringifyJson(eventDtoOf(event, reader.access)),
      place: event.place,
    }));
    return { events, next, hasMore, isKept: kept };
  }

  /** The place right before an event that is kept. */
  async placeBefore({ position }: FeedPlace): Promise<FeedPlace> {
    const before = position - 1n;
    const { feed, cursorMark } = await this.repository.read(before, 1, NOTHING, NO_KEY);
    return before === feed.removedPosition ? beginningOf(feed) : placeOf(before, cursorMark);
  }

  /** How many events `reader` sees after `place`, counted up to `most`. */
  count(
    place: FeedPlace,
    reader: Reader,
    types: readonly EventType[] | undefined,
    most: number,
  ): Promise<number> {
    return this.repository.count(place.position, most, visibleTypes(reader.access, types), reader.id);
  }
}
