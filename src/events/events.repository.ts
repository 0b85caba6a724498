import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { EventEntity, EventFeedEntity } from './event.entity.js';
import type { VisibleTypes } from './event-types.js';
import { COUNT, FEED, LOCK_FEED, READ, REMOVE, SETTLE, UNSETTLED } from './feed/feed.statements.js';

/** Where the feed begins and ends. */
export type Feed = Omit<EventFeedEntity, 'one'>;

/** Committed rows without a position. */
export interface Unsettled {
  rowCount: number;
  eventCount: number;
  /** Of the oldest of them; 0 where none waits. */
  ageSeconds: number;
}

/** Rows with events that a caller sees, and where the read began and ended. */
export interface FeedRead {
  feed: Feed;
  /** The mark of the row with the position after which the read began; null: no row has it. */
  cursorMark: string | null;
  /** The last row that was read, seen or not; null: there is none yet. */
  end: { position: bigint; mark: string } | null;
  rows: SettledRow[];
}

/** A row of the feed; `position` is that of its last event. */
export type SettledRow = Pick<EventEntity, 'type' | 'actors' | 'data' | 'mark' | 'at'> & { position: bigint };

type ReadRow = Feed & {
  cursorMark: string | null;
  endPosition: bigint | null;
  endMark: string | null;
} & (SettledRow | { position: null });

/** The statements of the feed. */
@Injectable()
export class EventsRepository {
  constructor(private readonly database: Database) {}

  /** What waits for a position; not more rows than one settling numbers. */
  async unsettled(): Promise<Unsettled> {
    const [unsettled] = await this.database.query<Unsettled>(UNSETTLED, []);
    return existing(unsettled);
  }

  /** Gives positions to committed rows, the oldest first. Resolves with the number of rows. */
  settle(): Promise<number> {
    return this.database.transaction(async () => {
      // A statement sees what was committed before it began, so the lock comes in one of its own.
      await this.database.query(LOCK_FEED, []);
      const [row] = await this.database.query<{ count: number }>(SETTLE, []);
      return row?.count ?? 0;
    });
  }

  /** @throws Error where the migration that creates the feed has not run */
  async feed(): Promise<Feed> {
    const [feed] = await this.database.query<Feed>(FEED, []);
    return existing(feed);
  }

  /** Reads on after `position`: rows with at least `limit` and one events, if there are so many. */
  async read(position: bigint, limit: number, { all, own }: VisibleTypes, keyId: string): Promise<FeedRead> {
    const found = await this.database.query<ReadRow>(READ, [position, limit, all, own, keyId]);
    const { lastPosition, lastMark, removedPosition, removedMark, cursorMark, endPosition, endMark } =
      existing(found[0]);
    return {
      feed: { lastPosition, lastMark, removedPosition, removedMark },
      cursorMark,
      end: endPosition === null || endMark === null ? null : { position: endPosition, mark: endMark },
      rows: found.filter((row) => row.position !== null),
    };
  }

  /** The events after `position`, counted up to `most` among the next ROWS_PER_COUNT rows. */
  async count(position: bigint, most: number, { all, own }: VisibleTypes, keyId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(COUNT, [position, most, all, own, keyId]);
    return row?.count ?? 0;
  }

  /** Deletes at most `limit` of the oldest rows that are older than `days`; resolves with their number. */
  async remove(days: number, limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(REMOVE, [days, limit]);
    return row?.count ?? 0;
  }
}

function existing<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('event_feed has no row');
  return row;
}
