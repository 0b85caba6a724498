import { InvalidArgumentError } from 'commander';

const MS_OF_UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 100 * 366 * MS_OF_UNIT.d;

/** A duration such as `90d`, in milliseconds. */
export function parseDurationMs(text: string): number {
  const durationMs = parseOverlapMs(text);
  if (durationMs === 0) throw new InvalidArgumentError('expected at least 1 s');
  return durationMs;
}

/** A duration in milliseconds that may be zero, as in `0s`. */
export function parseOverlapMs(text: string): number {
  const [, count, unit] = /^(0|[1-9]\d{0,9})([smhd])$/.exec(text) ?? [];
  const durationMs = count === undefined ? NaN : Number(count) * MS_OF_UNIT[unit as keyof typeof MS_OF_UNIT];
  if (!(durationMs <= LONGEST_MS)) {
    throw new InvalidArgumentError('expected a whole number and s, m, h or d, at most 100 years');
  }
  return durationMs;
}

/** A whole number; the service checks its bounds. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}
