import { InvalidArgumentError } from 'commander';

const MS_OF_UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `90d`, in milliseconds. It may be zero, as in `0s`. */
export function parseDurationMs(text: string): number {
  const [, count, unit] = /^(0|[1-9]\d{0,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('expected a whole number and s, m, h or d');
  return Number(count) * MS_OF_UNIT[unit as keyof typeof MS_OF_UNIT];
}

/** A whole number; the service checks its bounds. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}
