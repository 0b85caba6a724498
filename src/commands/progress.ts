/** Where progress is shown: stderr, or a test's replacement. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_CELLS = 30;
const REDRAW_MS = 100;
const PLAIN_STEP_PERCENT = 10;

/** The progress of a long command: a bar on a terminal, otherwise a line per 10 %. */
export class Progress {
  private what = '';
  private shownPercent = 0;
  private drawnAtMs = -Infinity;

  constructor(private readonly output: ProgressOutput = process.stderr) {}

  /** Shows that `done` of `total` rows are processed. A new `what` starts again at 0. */
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
    // Return to the start of the line and clear it.
    this.output.write(`\r\x1b[K${bar} ${String(percent).padStart(3)}% ${text}${isDone ? '\n' : ''}`);
  }
}

/** A number with thousands separators: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
