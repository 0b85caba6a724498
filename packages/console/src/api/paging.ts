import type { Page } from 'animal-store-client';

type List<Item> = (window: { limit: number; cursor?: string }) => Promise<Page<Item>>;

const LARGEST_PAGE = 100;
/** How far a page that is opened by its address may lie from the first; what lies deeper is found with filters. */
const MOST_STEPS = 30;

/** The cursors of the pages that were read: the key names the list, its filters, its size and the page. */
const cursors = new Map<string, string>();

export const forgetCursors = () => cursors.clear();

/**
 * Page number `page` of a list that has cursors only. The page after one that was read costs one request; a page that is opened by its
 * address, such as after a reload, is reached from the first in steps of 100.
 *
 * @throws Error when that takes more than 30 requests
 */
export async function pageAt<Item>(scope: string, page: number, perPage: number, list: List<Item>) {
  const keyOf = (each: number) => `${scope} ${String(perPage)} ${String(each)}`;
  let cursor = cursors.get(keyOf(page));
  if (page > 1 && cursor === undefined) {
    cursor = await cursorAfter((page - 1) * perPage, list);
    if (cursor === undefined) return { items: [], hasNextPage: false };
  }
  const found = await list({ limit: perPage, ...(page > 1 && cursor !== undefined && { cursor }) });
  const { items, nextCursor } = found;
  if (nextCursor === undefined) cursors.delete(keyOf(page + 1));
  else cursors.set(keyOf(page + 1), nextCursor);
  return { items, hasNextPage: nextCursor !== undefined };
}

async function cursorAfter<Item>(rows: number, list: List<Item>): Promise<string | undefined> {
  if (rows > MOST_STEPS * LARGEST_PAGE)
    throw new Error(
      'This page lies too deep to be opened by its address. Go on from the first page, or filter.',
    );
  let cursor: string | undefined;
  for (let left = rows; left > 0; left -= LARGEST_PAGE) {
    const limit = Math.min(left, LARGEST_PAGE);
    const { nextCursor } = await list({ limit, ...(cursor !== undefined && { cursor }) });
    if (nextCursor === undefined) return undefined;
    cursor = nextCursor;
  }
  return cursor;
}
