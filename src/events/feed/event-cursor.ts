import { crc32 } from 'node:zlib';
import { invalidCursor } from '../../platform/common/errors/common.errors.js';

/** A place in the feed: after the event at `position`. */
export interface FeedPlace {
  position: bigint;
  /** 32 bits of the mark of that event's row; 0 before the first event of all. */
  bits: number;
}

/** The place after an event of the row with this mark; a mark of null: before the first event of all. */
export const placeOf = (position: bigint, mark: string | null): FeedPlace => ({
  position,
  // The first half of a random UUID is random.
  bits: mark === null ? 0 : parseInt(mark.slice(0, 8), 16),
});

/*
 * A cursor, 17 bytes in base64url:
 *
 *  0  1 byte   version
 *  1  8 bytes  position, int64, big-endian
 *  9  4 bytes  bits of the mark, 0 without a mark
 * 13  4 bytes  CRC-32 of all before, big-endian
 *
 * A restored backup gives positions again, to other events. Their marks differ, so a cursor of the lost history is recognized.
 */
const VERSION = 1;
const POSITION_AT = 1;
const BITS_AT = 9;
const SUM_AT = 13;
const LENGTH = 17;
const SCOPE = crc32('listEvents');

/** The cursor of a place. */
export function encodeEventCursor({ position, bits }: FeedPlace): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes[0] = VERSION;
  bytes.writeBigInt64BE(position, POSITION_AT);
  bytes.writeUInt32BE(bits, BITS_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, SUM_AT), SCOPE), SUM_AT);
  return bytes.toString('base64url');
}

/**
 * The place of a cursor.
 *
 * @throws ApiError `invalid_cursor` for a text that encodeEventCursor never returns
 */
export function decodeEventCursor(cursor: string): FeedPlace {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== LENGTH) throw invalidCursor(cursor);
  const place = { position: bytes.readBigInt64BE(POSITION_AT), bits: bytes.readUInt32BE(BITS_AT) };
  if (encodeEventCursor(place) !== cursor) throw invalidCursor(cursor);
  return place;
}
