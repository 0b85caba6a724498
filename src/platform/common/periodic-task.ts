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
