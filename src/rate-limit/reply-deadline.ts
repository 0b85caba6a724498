const TURN_MS = 10;
const FEWEST_TURNS = 3;
/** Leaves the rest of the 100 ms, which a decision may take at worst, to everything else. */
const REPLY_WITHIN_MS = 70;

/**
 * The reply, or a rejection when it does not come in time. Time alone does not tell: after a stall of our own (a
 * garbage collection, a burst of requests) the reply may lie unread. So the event loop must have turned a few times
 * as well, reading its sockets each time, before a busy process takes Redis for gone.
 */
export function withinDeadline<T>(reply: Promise<T>, withinMs = REPLY_WITHIN_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    let turns = 0;
    let isSettled = false;
    let timer = setTimeout(nextTurn, TURN_MS);
    // From a timer, setImmediate runs once sockets have been read.
    function nextTurn(): void {
      setImmediate(() => {
        turns += 1;
        const isLate = performance.now() - startMs >= withinMs && turns >= FEWEST_TURNS;
        if (isLate) reject(new Error(`Redis did not answer within ${withinMs} ms`));
        else if (!isSettled) timer = setTimeout(nextTurn, TURN_MS);
      });
    }
    reply.then(resolve, reject).finally(() => {
      isSettled = true;
      clearTimeout(timer);
    });
  });
}
