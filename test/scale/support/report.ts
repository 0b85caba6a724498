/** Prints the measurements of a test in one line. */
export function reportProof(proof: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`[scale] ${proof}: ${shown.join(', ')}\n`);
}

/** Reports tests that are skipped because a program is not installed. */
export function reportSkipped(proof: string): void {
  process.stdout.write(`[scale] ${proof}: skipped, not installed\n`);
}
