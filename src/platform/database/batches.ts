import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';

/** Each statement uses one connection. */
const MAX_STATEMENTS = 2;

/**
 * Lets values that arrive in one turn of the event loop, or while other statements are under way, share one statement of at most
 * `maxBatchSize` values. Not for use within a transaction, which belongs to one request. `work` resolves with one result for each value, in
 * their order.
 */
export function batches<Value, Result>(
  maxBatchSize: number,
  work: (values: readonly Value[]) => Promise<Result[]>,
): DataLoader<Value, Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const start = (dispatch: () => void) => {
    running += 1;
    setImmediate(dispatch);
  };
  const runBatch = async (values: readonly Value[]) => {
    let ready = waiting;
    try {
      const results = await work(values);
      ready = waiting.slice(0, 1);
      return results;
    } finally {
      // After a failure no batch waits for another one to fail too.
      running -= 1;
      waiting.splice(0, ready.length).forEach(start);
    }
  };
  return new DataLoader<Value, Result>(runBatch, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (dispatch) => {
      if (running < MAX_STATEMENTS) start(dispatch);
      // In traces the statement belongs to the request with its first value.
      else waiting.push(AsyncLocalStorage.bind(dispatch));
    },
  });
}
