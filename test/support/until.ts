import { setTimeout as pause } from 'node:timers/promises';

const CALL_AGAIN_AFTER_MS = 25;

/** Calls until there is a value, and returns it. The test's timeout bounds how long that takes. */
export async function until<Value>(
  read: () => Promise<Value | false | undefined> | Value | false | undefined,
): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== false && value !== undefined) return value;
    await pause(CALL_AGAIN_AFTER_MS);
  }
}

/**
 * Waits for the next minute when too little of this one, and with it maybe of the day, is left for what a test counts. The
 * event is the end of the rate limit window, which nothing outside the service can bring about.
 */
export async function untilMinuteHasRoom(neededMs = 10_000): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < neededMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}
