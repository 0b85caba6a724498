/** Runs work periodically in the background, one round at a time; each begins `pauseMs` after the last has ended. */
export class PeriodicTask {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  /** `work` never rejects. */
  constructor(
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  start(): void {
    if (this.isStopped) return;
    // The timer does not keep the process running.
    this.timer = setTimeout(() => {
      this.round = this.work().finally(() => this.start());
    }, this.pauseMs).unref();
  }

  /** Resolves when the current round has ended. No other round begins. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }
}
