const NEEDED_MS = 10_000;

/**
 * Waits for the next minute when this one has too little left for what a test is about to count: the event waited
 * for is the window's end, which nothing outside the service can bring about.
 */
export async function untilMinuteHasRoom(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < NEEDED_MS) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}
