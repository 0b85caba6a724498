import DataLoader from 'dataloader';
import { overloaded } from '../common/errors/common.errors.js';
import { DatabaseUnavailableError, isUnavailable } from '../database/database.errors.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

export interface BatchLimits {
  /** Statements at a time. */
  maxStatements: number;
  keysPerStatement: number;
  /** Keys that wait longer for a statement get 503. */
  maxWaitMs: number;
}

/**
 * Loads keys in a few statements at a time. A key is loaded at once while a statement is free; the keys that wait share the next
 * one: one round trip and, for writes, one commit (docs/performance.md). Not for use within a transaction, which belongs to one
 * request.
 */
export class BatchLoader<Key, Value> {
  private readonly limiter: ConcurrencyLimiter;
  private readonly loader: DataLoader<Key, Value>;
  /** The reason why the batch that is being dispatched gets no statement. */
  private refusal: Error | undefined;
  /** Statements that the database has answered. */
  private answered = 0;

  /** `loadAll` resolves with one value for each key, in the order of the keys. */
  constructor(
    private readonly loadAll: (keys: readonly Key[]) => Promise<Value[]>,
    { maxStatements, keysPerStatement, maxWaitMs }: BatchLimits,
  ) {
    this.limiter = new ConcurrencyLimiter(maxStatements, maxWaitMs, overloaded);
    this.loader = new DataLoader((keys) => this.loadBatch(keys), {
      cache: false,
      maxBatchSize: keysPerStatement,
      batchScheduleFn: (dispatch) => this.schedule(dispatch),
    });
  }

  /** @throws ApiError service_unavailable after `maxWaitMs` */
  load(key: Key): Promise<Value> {
    return this.loader.load(key);
  }

  /** Dispatches a batch when a statement is free; until then further keys join the batch. */
  private schedule(dispatch: () => void): void {
    const slot = this.limiter.acquire();
    if (!slot) {
      process.nextTick(dispatch);
      return;
    }
    const { answered } = this;
    slot.then(dispatch, () => {
      // Without an answer in all this time the database is away.
      this.refusal = this.answered === answered ? new DatabaseUnavailableError() : overloaded();
      dispatch();
      this.refusal = undefined;
    });
  }

  private async loadBatch(keys: readonly Key[]): Promise<(Value | Error)[]> {
    if (this.refusal) throw this.refusal;
    try {
      const values = await this.loadAll(keys);
      this.answered += 1;
      return values;
    } catch (error) {
      if (keys.length === 1 || isUnavailable(error)) throw error;
      // The statement failed as a whole and changed nothing. Each key alone gets its own value or error.
      const results: (Value | Error)[] = [];
      for (const key of keys) results.push(await this.loadAlone(key));
      return results;
    } finally {
      this.limiter.release();
    }
  }

  private loadAlone(key: Key): Promise<Value | Error> {
    return this.loadAll([key]).then(
      ([value]) => value as Value,
      (error: unknown) => error as Error,
    );
  }
}
