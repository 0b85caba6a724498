import type { Worker } from './worker.js';

/** Every run prints it. The same seed makes the same requests again. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** The day has less room than the minute, so responses show it, and its limit differs from an address's. */
export const KEY_LIMITS = { perMinute: 2_000_000, perDay: 900_000 };

const MOST_TOLD = 3;

/**
 * Runs a property in every worker at a time, each from a seed of its own. Resolves with what failed: what was wrong with
 * the answer, then the seed, the path and the smallest request, as fast-check tells of them.
 */
export async function failuresOf(
  workers: Worker[],
  run: (worker: Worker, seed: number) => Promise<void>,
): Promise<string[]> {
  const runs = await Promise.allSettled(workers.map((worker, at) => run(worker, SEED + at)));
  return runs
    .flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
    .map(({ message, cause }) => `${String((cause as Error | undefined)?.message)}\n${message}`)
    .slice(0, MOST_TOLD);
}
