import { useEffect, useState } from 'react';

const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time in the reader's zone. */
export const localTime = (value: string) => ABSOLUTE.format(new Date(value));

/** A time in UTC, as the service and its logs write it. */
export const utcTime = (value: string) =>
  `${new Date(value).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** How far a time is from now, such as “in 3 hours”. */
export function distanceOf(value: string, nowMs: number): string {
  const ms = Date.parse(value) - nowMs;
  const [size, unit] = [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
  ].find(([each]) => Math.abs(ms) >= (each as number)) ?? [1_000, 'second'];
  return RELATIVE.format(Math.round(ms / (size as number)), unit as Intl.RelativeTimeFormatUnit);
}

/** The time of now, read again every `everyMs`. */
export function useNow(everyMs = MINUTE_MS): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A time in the reader's zone, with UTC on hover; `relative` adds how far it is. `empty`: what null means. */
export function Time({
  value,
  relative,
  empty = '–',
}: {
  value?: string | null | undefined;
  relative?: boolean;
  empty?: string;
}) {
  const now = useNow();
  if (value === null || value === undefined) return <span>{empty}</span>;
  return (
    <time dateTime={value} title={utcTime(value)}>
      {localTime(value)}
      {relative && ` (${distanceOf(value, now)})`}
    </time>
  );
}

/** How far a time is, such as “3 hours ago”, with the time itself on hover. */
export function Distance({ value, empty = '–' }: { value?: string | null | undefined; empty?: string }) {
  const now = useNow();
  if (value === null || value === undefined) return <span>{empty}</span>;
  return (
    <time dateTime={value} title={`${localTime(value)} · ${utcTime(value)}`}>
      {distanceOf(value, now)}
    </time>
  );
}
