import { eventIdOf } from './event-id.js';
import { type FeedPlace, placeOf } from './event-cursor.js';
import type { SettledRow } from '../events.repository.js';
import type { EventType } from '../event-types.js';

/** One event of a row of the feed. */
export interface StoredEvent {
  /** `evt_` and a UUIDv7. */
  id: string;
  type: EventType;
  at: Date;
  /** The id of a key, `command` or `service`. */
  actor: string;
  /** JSON: the changed row with its columns, or the data of the event itself. */
  data: string;
  place: FeedPlace;
}

/** The events of a row, in their order. */
export function eventsOf({ position, type, actors, data, mark, at }: SettledRow): StoredEvent[] {
  return data.map((text, index) => ({
    id: eventIdOf(mark, index, at),
    type,
    at,
    actor: actors[index] ?? '',
    data: text,
    place: placeOf(position - BigInt(data.length - 1 - index), mark),
  }));
}
