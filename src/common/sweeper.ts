import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Lifecycle } from './lifecycle.js';
import { PeriodicTask } from './periodic-task.js';

const EVERY_MS = 60_000;
const ROWS_PER_STATEMENT = 500;

/** Removes rows that nothing reads any more: every minute, few rows per statement, on any number of replicas at once. */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Sweeper');
  private readonly rounds = new PeriodicTask(EVERY_MS, () => this.sweep());

  /** `what`: the rows, for the log. */
  constructor(
    private readonly what: string,
    private readonly lifecycle: Lifecycle,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  /** Removes at most `limit` rows; resolves with their number. */
  protected abstract removeBatch(limit: number): Promise<number>;

  private async sweep(): Promise<void> {
    try {
      let removed = ROWS_PER_STATEMENT;
      while (removed === ROWS_PER_STATEMENT && this.lifecycle.state === 'serving') {
        removed = await this.removeBatch(ROWS_PER_STATEMENT);
      }
    } catch (error) {
      // The next round tries again.
      this.logger.warn({ err: error }, `expired ${this.what} cannot be removed`);
    }
  }
}
