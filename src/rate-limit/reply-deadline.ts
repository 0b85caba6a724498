const TURN_MS = 10;
/** Leaves the rest of the 100 ms, which a decision may take at worst, to everything else. */
export const REPLY_WITHIN_MS = 70;

/**
 * The reply, or a rejection once the event loop has turned for that long without one. Turns are counted, not the
 * clock: after a stall of our own (a garbage collection, a burst of requests) replies that have long arrived are read
 * before the next turn counts, so a busy process does not take Redis for gone.
 */
export function withinDeadline<T>(reply: Promise<T>, withinMs = REPLY_WITHIN_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    let turnsLeft = Math.ceil(withinMs / TURN_MS);
    let timer = setTimeout(nextTurn, TURN_MS);
    // From a timer, setImmediate runs once sockets have been read.
    function nextTurn(): void {
      setImmediate(() => {
        turnsLeft -= 1;
        if (turnsLeft <= 0) reject(new Error(`Redis did not answer within ${withinMs} ms`));
        else timer = setTimeout(nextTurn, TURN_MS);
      });
    }
    reply.then(resolve, reject).finally(() => {
      turnsLeft = 0;
      clearTimeout(timer);
    });
  });
}
