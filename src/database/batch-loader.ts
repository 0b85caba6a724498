import DataLoader from 'dataloader';
import { isUnavailable } from './database.errors.js';

/** A larger batch saves little more, and its second half could run on another connection. */
const MAX_BATCH_SIZE = 16;

/**
 * Loads keys in at most `maxStatements` statements at a time. A key is loaded at once while fewer are under way; the keys that
 * wait share the next statement: one round trip and, for writes, one commit (docs/performance.md). Not for use within a
 * transaction, which belongs to one request.
 *
 * `loadAll` resolves with one value for each key, in the order of the keys.
 */
export function batchLoader<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<Value[]>,
  maxStatements: number,
): Pick<DataLoader<Key, Value>, 'load'> {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  const schedule = (dispatch: () => void) => {
    if (underWay >= maxStatements) {
      waiting.push(dispatch);
      return;
    }
    underWay += 1;
    process.nextTick(dispatch);
  };
  const loadBatch = async (keys: readonly Key[]): Promise<ArrayLike<Value | Error>> => {
    try {
      return await loadAll(keys);
    } catch (error) {
      if (keys.length === 1 || isUnavailable(error)) throw error;
      // The statement failed as a whole and changed nothing. Each key alone gets its own value or error.
      return await Promise.all(keys.map((key) => loadAlone(key)));
    } finally {
      underWay -= 1;
      const next = waiting.shift();
      if (next) schedule(next);
    }
  };
  const loadAlone = async (key: Key): Promise<Value | Error> => {
    try {
      return (await loadAll([key]))[0] as Value;
    } catch (error) {
      return error as Error;
    }
  };
  return new DataLoader(loadBatch, {
    cache: false,
    maxBatchSize: MAX_BATCH_SIZE,
    batchScheduleFn: schedule,
  });
}
