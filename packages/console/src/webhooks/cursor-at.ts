import { client } from '../session/session';

const PAGE = 100;
const MOST_PAGES = 100;

/**
 * A cursor before the first event of this moment or later that the signed-in key sees, found from the oldest event that is kept. No cursor
 * lies before the oldest one, so that one stays out.
 *
 * @throws Error where it takes more than 100 requests
 */
export async function cursorAt(moment: Date): Promise<string> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const after = { ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor, hasMore } = await client().listEvents({ limit: PAGE, ...after });
    const index = items.findIndex(({ timestamp }) => Date.parse(timestamp) >= moment.getTime());
    if (index === 0 && cursor !== undefined) return cursor;
    if (index >= 0) return (await client().listEvents({ limit: Math.max(index, 1), ...after })).nextCursor;
    if (!hasMore) return nextCursor;
    cursor = nextCursor;
  }
  throw new Error('So long ago more happened than this page can look through. Choose a later moment.');
}
