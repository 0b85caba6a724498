import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { StoreEvent } from 'animal-store-client';
import { codeOf } from '../api/problems';
import { client } from '../session/session';

const EVERY_MS = 5_000;
const PAGE = 100;
const MOST_PAGES = 10;
const MOST_LINES = 300;
const KEY = ['events'];

/** What happened since the view was opened, newest first. */
export interface Feed {
  cursor: string;
  events: StoreEvent[];
}

async function following(feed: Feed = { cursor: 'latest', events: [] }): Promise<Feed> {
  let { cursor, events } = feed;
  for (let page = 0, hasMore = true; hasMore && page < MOST_PAGES; page += 1) {
    const read = await client().listEvents({ limit: PAGE, cursor });
    events = [...read.items.toReversed(), ...events].slice(0, MOST_LINES);
    cursor = read.nextCursor;
    hasMore = read.hasMore;
  }
  return { cursor, events };
}

/** What happens, as it happens. A tab that is not seen asks for nothing, and goes on where it was. */
export function useFeed() {
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: KEY,
    async queryFn() {
      const feed = queryClient.getQueryData<Feed>(KEY);
      try {
        return await following(feed);
      } catch (error) {
        // The place is in no history any more, such as after a backup was restored: go on with what happens from now on.
        if (codeOf(error) === 'event_expired') return following();
        throw error;
      }
    },
    refetchInterval: EVERY_MS,
  });
}
