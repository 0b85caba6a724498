import type { Statement } from '../../platform/database/database.js';

/** More rows wait for the next statement of the round. */
export const ROWS_PER_SETTLING = 2_000;
/** A list reads at most so many rows, whether the caller sees them or not; its cursor passes them all. */
export const ROWS_PER_READ = 1_000;
/** A count looks at most at so many rows. */
const ROWS_PER_COUNT = 20_000;

/**
 * The one row of event_feed. Without the limit, PostgreSQL expects a thousand rows as long as it has no statistics, takes what joins them for
 * expensive, and compiles it for hundreds of milliseconds each time.
 */
const ONE_FEED = '(select * from event_feed limit 1) feed';

/**
 * PostgreSQL takes this for a third of the table, so it walks the index in its order. Of `position is null` it expects so few rows that it
 * reads all entries of the index, also those of rows that have been settled since the last vacuum.
 */
const IS_UNSETTLED = 'coalesce(position, 0) <= 0';

/** What waits for a position. It takes no lock, so idle replicas do not wait for each other. */
export const UNSETTLED: Statement = {
  name: 'unsettled-events',
  text: `select count(*)::int as "rowCount", coalesce(sum(size), 0)::int as "eventCount",
      coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float as "ageSeconds"
    from (select size, at from events where ${IS_UNSETTLED} order by id limit ${ROWS_PER_SETTLING}) waiting`,
};

/** One settler at a time. What it numbers is read by a later statement, which sees everything that was committed before the lock. */
export const LOCK_FEED: Statement = {
  name: 'lock-event-feed',
  text: 'select 1 from event_feed for update',
};

/**
 * Numbers committed rows in the order of their ids. Resolves with the number of rows. The ids pass through arrays, which PostgreSQL takes for
 * short, so it finds each row by its id and never reads the whole table.
 */
export const SETTLE: Statement = {
  name: 'settle-events',
  text: `with unsettled as (
      select array_agg(id) as ids, array_agg(upto) as uptos from (
        select id, sum(size) over (order by id) as upto
        from (select id, size from events where ${IS_UNSETTLED} order by id limit ${ROWS_PER_SETTLING}) oldest
      ) numbered
    ), settled as (
      update events set position = last_position + upto from unsettled, unnest(ids, uptos) as place (id, upto), ${ONE_FEED}
      where events.id = place.id returning position, mark
    ), last as (
      select position, mark from settled order by position desc limit 1
    ), moved as (
      update event_feed set last_position = position, last_mark = mark from last returning 1
    )
    select count(*)::int as count from settled, moved`,
};

/** Where the feed begins and ends. */
export const FEED: Statement = {
  name: 'event-feed',
  text: `select last_position as "lastPosition", last_mark as "lastMark", removed_position as "removedPosition",
      removed_mark as "removedMark" from event_feed`,
};

/**
 * Reads after position $1 at most ROWS_PER_READ rows, of which it returns those that the caller may see ($3: types of everybody, $4: types
 * of the key $5 alone), and no more than hold $2 events. Each result row also has what a cursor needs: the two ends of the feed, the row of
 * $1 itself, and the last row that was read.
 */
export const READ: Statement = {
  name: 'read-events',
  // It begins with select, so it shares a connection with other reads.
  text: `select * from (with scanned as materialized (
      select id, position, mark, least(size, position - $1) as size,
        type = any($3::text[]) or (type = any($4::text[]) and key_id = $5::uuid) as shown
      from events where position > $1 order by position limit ${ROWS_PER_READ}
    ), counted as (
      select id, shown, sum(size) filter (where shown) over (order by position) - size as before from scanned
    ), ends as (
      select (select max(position) from scanned) as end_position,
        (select mark from scanned order by position desc limit 1) as end_mark,
        (select count(*)::int from scanned) as scanned_count,
        (select case when position - size < $1 then mark end from events where position >= $1 order by position limit 1)
          as cursor_mark
    )
    select last_position as "lastPosition", last_mark as "lastMark", removed_position as "removedPosition",
      removed_mark as "removedMark", end_position as "endPosition", end_mark as "endMark",
      scanned_count as "scannedCount", cursor_mark as "cursorMark",
      page.position, page.type, page.actors, page.data, page.mark, page.at
    from ${ONE_FEED} cross join ends
    left join (
      select events.position, events.type, events.actors, events.data, events.mark, events.at
      from counted join events using (id) where shown and before <= $2
    ) page on true) read order by position`,
};

/** Counts up to $2 events after position $1 that the caller may see, as in READ. */
export const COUNT: Statement = {
  name: 'count-events',
  text: `select least(coalesce(sum(least(size, position - $1)), 0), $2)::int as count from (
      select size, position, type, key_id from events where position > $1 order by position limit ${ROWS_PER_COUNT}
    ) following where type = any($3::text[]) or (type = any($4::text[]) and key_id = $5::uuid)`,
};

/**
 * Deletes those of the $2 oldest rows that are older than $1 days, and moves the beginning of the feed. Resolves with their number. Positions
 * follow the time closely, so a younger row ends the search.
 */
export const REMOVE: Statement = {
  name: 'remove-events',
  text: `with old as (
      select id, position, mark from (select * from events where position > 0 order by position limit $2) oldest
      where at < now() - make_interval(days => $1)
    ), removed as (
      delete from events where id in (select id from old) returning 1
    ), moved as (
      update event_feed set removed_position = position, removed_mark = mark
      from (select position, mark from old order by position desc limit 1) last where position > removed_position
    )
    select count(*)::int as count from removed`,
};
