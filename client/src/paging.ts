/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Where the next page starts; undefined on the last one. */
  nextCursor: string | undefined;
}

/** Everything on all pages, each page asked for when the one before is used up. */
export async function* walk<Item>(
  listPage: (cursor: string | undefined) => Promise<Page<Item>>,
  start: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  let cursor = start;
  do {
    const { items, nextCursor } = await listPage(cursor);
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** The cursor of the next page: X-Next-Cursor or, where only standard headers came through, the one in Link. */
export function nextCursorOf({ headers }: Response): string | undefined {
  return headers.get('x-next-cursor') ?? cursorOfLink(headers.get('link') ?? '');
}

function cursorOfLink(link: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1];
  return target === undefined ? undefined : /[?&]cursor=([\w-]+)/.exec(target)?.[1];
}
