/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; undefined on the last page. */
  nextCursor: string | undefined;
  /** The tag of the page. Of a list of exactly one id it is that of the animal, for `ifMatch`. */
  etag: string | undefined;
  /** Requests the next page; resolves with undefined after the last page. */
  next(): Promise<Page<Item> | undefined>;
}

/** The items of all pages. A page is requested when every item before it is read. */
export async function* walk<Item>(
  listPage: (cursor: string | undefined) => Promise<Page<Item>>,
  start: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  for (let page: Page<Item> | undefined = await listPage(start); page; page = await page.next()) {
    yield* page.items;
  }
}

/** A page whose `next` requests the page after it. */
export function pageOf<Item>(
  items: Item[],
  { nextCursor, etag }: Pick<Page<Item>, 'nextCursor' | 'etag'>,
  listPage: (cursor: string) => Promise<Page<Item>>,
): Page<Item> {
  const next = async () => (nextCursor === undefined ? undefined : listPage(nextCursor));
  return { items, nextCursor, etag, next };
}

/** The cursor of the next page: X-Next-Cursor or, when a proxy or browser hides that header, the cursor in Link. */
export function nextCursorOf({ headers }: Response): string | undefined {
  return headers.get('x-next-cursor') ?? cursorOfLink(headers.get('link') ?? '');
}

function cursorOfLink(link: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1];
  return target === undefined ? undefined : /[?&]cursor=([\w-]+)/.exec(target)?.[1];
}

/** Whether another page is there already: the answer links it. */
export const hasNextPage = ({ headers }: Response): boolean =>
  cursorOfLink(headers.get('link') ?? '') !== undefined;
