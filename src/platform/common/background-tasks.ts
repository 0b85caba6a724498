import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from './periodic-task.js';

const DELETE_EVERY_MS = 60_000;
const ROWS_PER_STATEMENT = 500;

/** The periodic work of the service, from the moment it is ready until it shuts down. Commands run none. */
@Injectable()
export class BackgroundTasks implements BeforeApplicationShutdown {
  private readonly logger = new Logger('BackgroundTasks');
  private readonly tasks: PeriodicTask[] = [];

  /** Adds work; each round begins `pauseMs` after the last has ended. `problem`: what the log says of failures. */
  every(pauseMs: number, problem: string, work: () => Promise<void>): PeriodicTask {
    const task = new PeriodicTask(pauseMs, work, (error) => this.logger.warn({ err: error }, problem));
    this.tasks.push(task);
    return task;
  }

  /**
   * Adds rows that nothing reads any more: they are deleted every minute, few per statement, on any number of replicas at once.
   * `deleteBatch` deletes at most `limit` rows and resolves with their number.
   */
  deleteExpired(what: string, deleteBatch: (limit: number) => Promise<number>): void {
    const task = this.every(DELETE_EVERY_MS, `expired ${what} cannot be deleted`, async () => {
      let deleted = ROWS_PER_STATEMENT;
      while (deleted === ROWS_PER_STATEMENT && !task.isStopped)
        deleted = await deleteBatch(ROWS_PER_STATEMENT);
    });
  }

  /** `pauseMs`: the pause of every task instead of its own. */
  start(pauseMs?: number): void {
    for (const task of this.tasks) task.start(pauseMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}
