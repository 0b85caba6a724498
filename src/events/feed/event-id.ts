/**
 * The id of an event: `evt_` and a UUIDv7 (RFC 9562, 5.7). It is derived from what the row of the event keeps, so every read and every
 * delivery shows the same one: the time of the change, and the 122 random bits of the row's mark plus the event's index in the row.
 */
export function eventIdOf(mark: string, index: number, at: Date): string {
  const random = (BigInt(`0x${mark.replaceAll('-', '')}`) + BigInt(index)) & RANDOM_BITS;
  const value = (BigInt(at.getTime()) << 80n) | VERSION_7 | VARIANT | random;
  const hex = value.toString(16).padStart(32, '0');
  return `evt_${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;
}

const VERSION_7 = 7n << 76n;
const VARIANT = 2n << 62n;
/** Without the bits of the time, the version and the variant. */
const RANDOM_BITS = (0xfffn << 64n) | ((1n << 62n) - 1n);
