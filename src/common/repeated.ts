/** Work done again and again in the background, never twice at once; each round begins `pauseMs` after the last ended. */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  /** `work` deals with its own failures. */
  constructor(
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  start(): void {
    if (this.isStopped) return;
    // The process may end while nothing but this is left to do.
    this.timer = setTimeout(() => {
      this.round = this.work().finally(() => this.start());
    }, this.pauseMs).unref();
  }

  /** Resolves when a round that is under way has ended; no other begins. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }
}
