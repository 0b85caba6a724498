import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Lifecycle } from './lifecycle.js';
import { PeriodicTask } from './periodic-task.js';

const EVERY_MS = 60_000;
const ROWS_PER_STATEMENT = 500;

/** Removes at most `limit` rows; resolves with their number. */
type RemoveBatch = (limit: number) => Promise<number>;

/** Removes rows that nothing reads any more: every minute, few rows per statement, on any number of replicas at once. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Sweeper');
  private readonly rounds = new PeriodicTask(EVERY_MS, () => this.sweepAll());
  private readonly removals = new Map<string, RemoveBatch>();

  constructor(private readonly lifecycle: Lifecycle) {}

  /** Adds rows to remove from the next round on. `what` names them in the log. */
  add(what: string, removeBatch: RemoveBatch): void {
    this.removals.set(what, removeBatch);
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async sweepAll(): Promise<void> {
    await Promise.all([...this.removals].map(([what, removeBatch]) => this.sweep(what, removeBatch)));
  }

  private async sweep(what: string, removeBatch: RemoveBatch): Promise<void> {
    try {
      let removed = ROWS_PER_STATEMENT;
      while (removed === ROWS_PER_STATEMENT && this.lifecycle.state === 'serving') {
        removed = await removeBatch(ROWS_PER_STATEMENT);
      }
    } catch (error) {
      // The next round tries again.
      this.logger.warn({ err: error }, `expired ${what} cannot be removed`);
    }
  }
}
