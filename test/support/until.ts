import { setTimeout as pause } from 'node:timers/promises';

const ASK_AGAIN_AFTER_MS = 25;

/** Asks until there is an answer, and gives it back. How long that may take is for the test's own timeout to say. */
export async function until<Value>(
  ask: () => Promise<Value | false | undefined> | Value | false | undefined,
): Promise<Value> {
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
    await pause(ASK_AGAIN_AFTER_MS);
  }
}
