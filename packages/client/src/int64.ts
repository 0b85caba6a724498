/** An int64 as this client gives and takes it: a number up to 2^53 - 1 either way of zero, a bigint beyond. */
export type Int64 = number | bigint;

/**
 * Throws a RangeError for an integer that is a number beyond 2^53 - 1: it may have been rounded before it came here,
 * and then it names another animal.
 */
export function assertExact(value: Int64): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`expected a bigint for an integer beyond 2^53 - 1, got the number ${String(value)}`);
  }
}
