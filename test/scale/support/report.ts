/** What a proof measured, in one line of its output. */
export function reportProof(proof: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`[scale] ${proof}: ${shown.join(', ')}\n`);
}

/** Names what is not shown because a program is not installed. */
export function reportSkipped(proof: string): void {
  process.stdout.write(`[scale] ${proof}: skipped, it is not installed\n`);
}
