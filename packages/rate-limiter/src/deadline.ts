/**
 * The answer, or a rejection when it does not arrive in time. Gives up one turn of the event loop after the time is over: while
 * this process stalled, the answer may have arrived and waits in the socket.
 */
export function withinDeadline<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${withinMs} ms`));
    const timer = setTimeout(() => setImmediate(late), withinMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
