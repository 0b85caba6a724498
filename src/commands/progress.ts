/** Where progress is shown: stderr, or what a test puts in its place. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_CELLS = 30;
const REDRAW_MS = 100;
const PLAIN_STEP_PERCENT = 10;

/** How far a long command has come: a bar on a terminal, elsewhere a line at each tenth. */
export class Progress {
  private what = '';
  private shownPercent = 0;
  private drawnAtMs = -Infinity;

  constructor(private readonly output: ProgressOutput = process.stderr) {}

  /** `what` is being done to `total` things; a new `what` begins anew. */
  readonly show = (what: string, done: number, total: number): void => {
    if (what !== this.what) {
      this.what = what;
      this.shownPercent = 0;
    }
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const text = `${what} ${thousands(done)} of ${thousands(total)}`;
    if (this.output.isTTY === true) this.draw(percent, text);
    else if (percent - this.shownPercent >= PLAIN_STEP_PERCENT) {
      this.shownPercent = percent - (percent % PLAIN_STEP_PERCENT);
      this.output.write(`${text} (${percent}%)\n`);
    }
  };

  private draw(percent: number, text: string): void {
    const nowMs = performance.now();
    const isDone = percent === 100;
    if (!isDone && nowMs - this.drawnAtMs < REDRAW_MS) return;
    this.drawnAtMs = nowMs;
    const full = Math.round((BAR_CELLS * percent) / 100);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    // Back to the line's start, and away with what was there.
    this.output.write(`\r\x1b[K${bar} ${String(percent).padStart(3)}% ${text}${isDone ? '\n' : ''}`);
  }
}

/** A number as people read it: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
