/** An int64: a number from -(2^53 - 1) to 2^53 - 1, else a bigint. */
export type Int64 = number | bigint;

/**
 * @throws RangeError for a number that is an integer beyond 2^53 - 1, because it may have been rounded and then names
 * another animal
 */
export function assertExact(value: Int64): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`expected a bigint for an integer beyond 2^53 - 1, got the number ${String(value)}`);
  }
}
