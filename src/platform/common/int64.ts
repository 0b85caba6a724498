export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The number of digits of INT64_MAX. A longer integer is always out of range. */
const MAX_DIGITS = 19;
/** A JSON number (RFC 8259, section 6): sign, whole part, fraction, exponent. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Almost every number, and always an int64. */
const SHORT_INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;

/** A number that is not an int64. It keeps its spelling, because any conversion could round it. */
export class NonInt64Number {
  constructor(readonly literal: string) {}
}

/**
 * Reads one JSON number literal as an exact int64. The value decides, so `1.0`, `1e2`, `10e-1` and `-0` are integers.
 * Returns undefined for a fraction, for a value out of range and for any other text. The running time depends on the length
 * of the text, not on the exponent.
 */
export function parseInt64(text: string): bigint | undefined {
  if (SHORT_INTEGER.test(text)) return BigInt(text);
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === '0') first++;
  if (first === digits.length) return 0n;
  // Not /0+$/, whose time is quadratic.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  // The power of ten of the last non-zero digit. A huge exponent makes it infinite.
  const power = digits.length - end - fraction.length + Number(exponent);
  if (power < 0 || end - first + power > MAX_DIGITS) return undefined;
  const value = BigInt(sign + digits.slice(first, end) + '0'.repeat(power));
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** The id in a path. A text that is not an int64 is the id of nothing. @throws the error of `notFound` */
export function int64IdOf(text: string, notFound: (text: string) => Error): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw notFound(text);
  return id;
}
