import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';

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

/** Runs work periodically in the background, one round at a time; each begins `pauseMs` after the last has ended. */
export class PeriodicTask {
  /** The round that runs now. */
  running: Promise<void> | undefined;
  isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  private isFailing = false;

  /** `onFailure` receives the first of several failures in a row. Work without it never rejects. */
  constructor(
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
    private readonly onFailure?: (error: unknown) => void,
  ) {}

  start(pauseMs = this.pauseMs): void {
    if (this.isStopped) return;
    // The timer does not keep the process running.
    this.timer = setTimeout(() => void this.run().finally(() => this.start(pauseMs)), pauseMs).unref();
  }

  /** Runs a round now, unless one is running. Resolves when it has ended; never rejects. */
  run(): Promise<void> {
    return (this.running ??= this.attempt().finally(() => (this.running = undefined)));
  }

  /** Resolves when the current round has ended. No other round begins by itself. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async attempt(): Promise<void> {
    try {
      await this.work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.onFailure?.(error);
      this.isFailing = true;
    }
  }
}
