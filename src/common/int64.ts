export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const ZERO = 48;
const NINE = 57;
/** The number of digits of INT64_MAX. A longer integer is always out of range. */
const MAX_DIGITS = 19;
/** The most digits that a double always holds exactly. */
const EXACT_DIGITS = 15;

/**
 * Reads one JSON number literal (RFC 8259, section 6) as an exact int64. The value decides, so `1.0`, `1e2`, `10e-1`
 * and `-0` are integers. Returns undefined for any other text, for a fraction and for a value out of range. Never
 * throws. Its time depends on the length of the text, not on the exponent.
 */
export function parseInt64(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const start = negative ? 1 : 0;
  const whole = skipDigits(text, start);
  if (whole === start || (text.charCodeAt(start) === ZERO && whole > start + 1)) return undefined;
  if (whole === text.length && whole - start <= EXACT_DIGITS) return BigInt(text);

  let end = whole;
  if (text[end] === '.') {
    end = skipDigits(text, whole + 1);
    if (end === whole + 1) return undefined;
  }
  const exponent = end === text.length ? 0 : readExponent(text, end);
  if (exponent === undefined) return undefined;
  const magnitude = scale(text, start, whole, end, exponent);
  if (magnitude === undefined) return undefined;
  const value = negative ? -magnitude : magnitude;
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** The index of the first character from `at` on that is not a digit. */
export function skipDigits(text: string, at: number): number {
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Reads the rest of the text, from `at` on, as an exponent. Returns undefined when it is anything else. */
function readExponent(text: string, at: number): number | undefined {
  if (text[at] !== 'e' && text[at] !== 'E') return undefined;
  const sign = text[at + 1];
  let first = sign === '+' || sign === '-' ? at + 2 : at + 1;
  const end = skipDigits(text, first);
  if (end === first || end !== text.length) return undefined;
  while (text.charCodeAt(first) === ZERO) first++;
  // Capped above the longest possible string; larger exponents make no difference.
  const size = end - first > EXACT_DIGITS ? 10 ** EXACT_DIGITS : Number(text.slice(first, end));
  return sign === '-' ? -size : size;
}

/**
 * Returns `digits × 10^exponent`, where `text[start, end)` holds the digits and an optional point at `point`. Returns
 * undefined for a fraction or for too many digits, before it creates a bigint of that size.
 */
function scale(
  text: string,
  start: number,
  point: number,
  end: number,
  exponent: number,
): bigint | undefined {
  let first = start;
  while (first < end && !isNonZeroDigit(text.charCodeAt(first))) first++;
  if (first === end) return 0n;
  let last = end - 1;
  while (!isNonZeroDigit(text.charCodeAt(last))) last--;

  // The power of ten of the last non-zero digit.
  const power = (last < point ? point - last - 1 : point - last) + exponent;
  const span = last + 1 - first - (first < point && last > point ? 1 : 0);
  if (power < 0 || span + power > MAX_DIGITS) return undefined;
  return BigInt(text.slice(first, last + 1).replace('.', '') + '0'.repeat(power));
}

function isNonZeroDigit(code: number): boolean {
  return code > ZERO && code <= NINE;
}
