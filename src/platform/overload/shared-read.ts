/** The inventory of 16 callers leaves over 80 % of the pages to other callers (docs/scaling.md). */
const PAUSE_MS_PER_CALLER = 0.6;
/** Callers that wait hold slots of the LoadSheddingGuard, which other reads need. */
const LONGEST_PAUSE_MS = 9;

/**
 * Lets callers who want the same result share reads, one at a time. A read begins after the calls that it answers, so no result is
 * older than the call. The more callers share a read, the longer is the pause after it, so that many callers leave the
 * processor to other requests. A caller alone causes no pause.
 */
export class SharedRead<Result> {
  private callers = 0;
  private next: Promise<Result> | undefined;
  /** Resolves when the next read may begin. */
  private free: Promise<unknown> = Promise.resolve();

  constructor(private readonly read: () => Promise<Result>) {}

  load(): Promise<Result> {
    this.callers += 1;
    return (this.next ??= this.readNext());
  }

  private async readNext(): Promise<Result> {
    await this.free;
    const pauseMs = Math.min((this.callers - 1) * PAUSE_MS_PER_CALLER, LONGEST_PAUSE_MS);
    this.callers = 0;
    this.next = undefined;
    const result = this.read();
    this.free = result.then(
      () => pauseMs > 0 && new Promise((resolve) => setTimeout(resolve, pauseMs)),
      () => undefined,
    );
    return result;
  }
}
