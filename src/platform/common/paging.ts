import { crc32 } from 'node:zlib';
import { invalidCursor } from './errors/common.errors.js';

/** The number of items on a page, for every list. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** The order of a list by id. */
export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];
export const DEFAULT_SORT_ORDER: SortOrder = 'asc';

/*
 * A cursor, 13 bytes in base64url:
 *
 *  0  1 byte   version
 *  1  8 bytes  the last id of the page before, int64, big-endian
 *  9  4 bytes  CRC-32 of the scope and of all before, big-endian
 *
 * The checksum finds a cut or mistyped cursor, and one of another scope. A signature is not needed: a cursor holds no secret,
 * a forged one shows only a page that the same key may read anyway, and the replicas need no shared secret.
 */
const VERSION = 1;
const ID_AT = 1;
const SUM_AT = 9;
const LENGTH = 13;

/**
 * Returns the cursor of the page after `lastId`. `scope` is the operation and its filters as one canonical text, such as
 * `listPets?status=sold`; the cursor decodes with that scope only.
 *
 * @throws RangeError when `lastId` is not an int64
 */
export function encodeCursor(scope: string, lastId: bigint): string {
  // Hot: a list makes two. Buffer.alloc() takes memory outside of V8's heap, which V8 collects slowly. Every byte is written below.
  const bytes = Buffer.allocUnsafe(LENGTH);
  bytes[0] = VERSION;
  bytes.writeBigInt64BE(lastId, ID_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, SUM_AT), crc32(scope)), SUM_AT);
  return bytes.toString('base64url');
}

/**
 * The id in a request's cursor, or undefined without a cursor.
 *
 * @throws ApiError `invalid_cursor` unless the text is exactly what encodeCursor returns for this scope
 */
export function decodeCursor(scope: string, cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== LENGTH) throw invalidCursor(cursor);
  const lastId = bytes.readBigInt64BE(ID_AT);
  if (encodeCursor(scope, lastId) !== cursor) throw invalidCursor(cursor);
  return lastId;
}

/** What the scope of a cursor says of the order of its list. */
export const scopeOfOrder = (order: SortOrder | undefined) => (order === 'desc' ? ' order=desc' : '');

/** What every page of a list has: handlers return one, and its headers name the next page. */
export abstract class ListPage {
  constructor(
    /** Where to go on; undefined after the last page. */
    readonly nextCursor: string | undefined,
    /** Whether more is there already. */
    readonly hasMore = nextCursor !== undefined,
  ) {}
}

/** A page of items. Its body is their array. */
export class Page<Item> extends ListPage {
  constructor(
    readonly items: readonly Item[],
    nextCursor: string | undefined,
    hasMore?: boolean,
  ) {
    super(nextCursor, hasMore);
  }

  /** The same page with its items in another form. */
  map<Shown>(show: (item: Item) => Shown): Page<Shown> {
    return new Page(this.items.map(show), this.nextCursor, this.hasMore);
  }
}

/** A page that PostgreSQL has written as a JSON array. */
export class JsonPage extends ListPage {
  /** Whether the page has the entity tag of its only item instead of its own. */
  isTaggedAsItem = false;

  constructor(
    readonly json: string,
    nextCursor: string | undefined,
  ) {
    super(nextCursor);
  }

  /** The page of an item that was asked for alone, with the item's tag. */
  taggedAsItem(): this {
    this.isTaggedAsItem = true;
    return this;
  }
}

/** The page of a list of which `found` holds up to one item more than `limit`: if there is one, another page follows. */
export function pageFrom<Item>(
  found: readonly Item[],
  limit: number,
  scope: string,
  idOf: (item: Item) => bigint,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return new Page(items, last && encodeCursor(scope, idOf(last)));
}
