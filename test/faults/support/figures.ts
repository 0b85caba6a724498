/** Prints the measurements of a fault test in one line. */
export function reportFigures(test: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`[faults] ${test}: ${shown.join(', ')}\n`);
}
