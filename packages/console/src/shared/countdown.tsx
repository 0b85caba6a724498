import { useNow } from './time';

/** A duration for people, such as “42 s” or “3 h 10 min”. */
export function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${String(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? `${String(minutes)} min`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** What is left until then, counted down every second. */
export function Countdown({ untilMs }: { untilMs: number }) {
  const now = useNow(1_000);
  return <span>{durationOf(untilMs - now)}</span>;
}
