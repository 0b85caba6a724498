import type { OnProgress } from '../transfer/export-format.js';

/** Where progress is shown: stderr, or a test's replacement. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_CELLS = 30;
const REDRAW_MS = 100;
const PLAIN_STEP_PERCENT = 10;

/** Shows the progress of a long command: a bar on a terminal, otherwise a line per 10 %. */
export function showProgress(output: ProgressOutput = process.stderr): OnProgress {
  let shown = { what: '', percent: 0, atMs: -Infinity };
  return (what, done, total) => {
    // Other work starts again at 0.
    if (what !== shown.what) shown = { what, percent: 0, atMs: -Infinity };
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const text = `${what} ${thousands(done)} of ${thousands(total)}`;
    const nowMs = performance.now();
    if (output.isTTY === true) {
      if (percent < 100 && nowMs - shown.atMs < REDRAW_MS) return;
      shown.atMs = nowMs;
      const full = Math.round((BAR_CELLS * percent) / 100);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
      // Return to the start of the line and clear it.
      output.write(`\r\x1b[K${bar} ${String(percent).padStart(3)}% ${text}${percent < 100 ? '' : '\n'}`);
    } else if (percent - shown.percent >= PLAIN_STEP_PERCENT) {
      shown.percent = percent - (percent % PLAIN_STEP_PERCENT);
      output.write(`${text} (${percent}%)\n`);
    }
  };
}

/** A number with thousands separators: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
