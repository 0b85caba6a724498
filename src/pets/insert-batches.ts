import DataLoader from 'dataloader';

/** Each statement uses one connection of the pool. */
const MAX_STATEMENTS = 2;
/** A larger statement saves little more, and its second half could run on another connection. */
const ROWS_PER_STATEMENT = 16;

/**
 * Lets rows that are inserted while other inserts are under way share one statement and one commit (docs/performance.md). Not for use
 * within a transaction, which belongs to one request. `insertAll` resolves with one row for each, in their order.
 */
export function insertBatches<New, Row>(insertAll: (rows: readonly New[]) => Promise<Row[]>) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const start = (dispatch: () => void) => {
    running += 1;
    process.nextTick(dispatch);
  };
  const insertBatch = async (rows: readonly New[]) => {
    let ready = waiting;
    try {
      const inserted = await insertAll(rows);
      ready = waiting.slice(0, 1);
      return inserted;
    } finally {
      // After a failure no batch waits for another one to fail too.
      running -= 1;
      waiting.splice(0, ready.length).forEach(start);
    }
  };
  return new DataLoader<New, Row>(insertBatch, {
    cache: false,
    maxBatchSize: ROWS_PER_STATEMENT,
    batchScheduleFn: (dispatch) => {
      if (running < MAX_STATEMENTS) start(dispatch);
      else waiting.push(dispatch);
    },
  });
}
