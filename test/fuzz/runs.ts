import type { Worker } from './worker.js';

/** Every run prints its seed. The same seed generates the same requests. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** The limit of the day is below that of the minute, so that responses show it. It also differs from the limit of an address. */
export const KEY_LIMITS = { perMinute: 2_000_000, perDay: 900_000 };

const MAX_FAILURES = 3;

/**
 * Runs a property in all workers in parallel, each with its own seed. Resolves with the failures: the problem of
 * the response, then the seed, the path and the smallest request, as reported by fast-check.
 */
export async function failuresOf(
  workers: Worker[],
  run: (worker: Worker, seed: number) => Promise<void>,
): Promise<string[]> {
  const runs = await Promise.allSettled(workers.map((worker, at) => run(worker, SEED + at)));
  return runs
    .flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
    .map(({ message, cause }) => `${String((cause as Error | undefined)?.message)}\n${message}`)
    .slice(0, MAX_FAILURES);
}
