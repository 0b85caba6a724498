/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Where the next page starts; undefined on the last one. */
  nextCursor: string | undefined;
  /** Asks for the next page; undefined after the last one. */
  next(): Promise<Page<Item> | undefined>;
}

/** Everything on all pages, each page asked for when the one before is used up. */
export async function* walk<Item>(
  listPage: (cursor: string | undefined) => Promise<Page<Item>>,
  start: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  for (let page: Page<Item> | undefined = await listPage(start); page; page = await page.next()) {
    yield* page.items;
  }
}

/** A page that knows how to ask for the one after it. */
export function pageOf<Item>(
  items: Item[],
  nextCursor: string | undefined,
  listPage: (cursor: string) => Promise<Page<Item>>,
): Page<Item> {
  const next = async () => (nextCursor === undefined ? undefined : listPage(nextCursor));
  return { items, nextCursor, next };
}

/** The cursor of the next page: X-Next-Cursor or, where only standard headers came through, the one in Link. */
export function nextCursorOf({ headers }: Response): string | undefined {
  return headers.get('x-next-cursor') ?? cursorOfLink(headers.get('link') ?? '');
}

function cursorOfLink(link: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1];
  return target === undefined ? undefined : /[?&]cursor=([\w-]+)/.exec(target)?.[1];
}
