/**
 * Waits for the next minute when this one, and with it maybe the day, has too little left for what a test is about to count:
 * the event waited for is the window's end, which nothing outside the service can bring about.
 */
export async function untilMinuteHasRoom(neededMs = 10_000): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < neededMs) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}
