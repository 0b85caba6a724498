import { setTimeout as pause } from 'node:timers/promises';

const CALL_AGAIN_AFTER_MS = 25;

/** Calls `read` until it returns a value. The test's timeout bounds the wait. */
export async function until<Value>(
  read: () => Promise<Value | false | undefined> | Value | false | undefined,
): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== false && value !== undefined) return value;
    await pause(CALL_AGAIN_AFTER_MS);
  }
}

/** Does this work many times at once. */
export function atOnce<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/**
 * Waits for the next minute if too little of this one, and maybe of the day, is left for the test's requests. The
 * event is the end of the rate limit window, which only the service's clock ends.
 */
export function untilMinuteHasRoom(neededMs = 10_000): Promise<void> {
  return untilPeriodHasRoom(60_000, neededMs);
}

/** The same for a test that a minute may end in, but not an hour. */
export function untilHourHasRoom(neededMs = 30_000): Promise<void> {
  return untilPeriodHasRoom(3_600_000, neededMs);
}

/** The same for a test that a minute may end in, but not a UTC day. */
export function untilDayHasRoom(neededMs = 60_000): Promise<void> {
  return untilPeriodHasRoom(86_400_000, neededMs);
}

async function untilPeriodHasRoom(periodMs: number, neededMs: number): Promise<void> {
  const leftMs = periodMs - (Date.now() % periodMs);
  if (leftMs < neededMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}
