import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The results of an honest caller. `failed`: every status but 200, and every error message. */
export interface CallerResults {
  served: number;
  longestMs: number;
  failed: string[];
}

const OWN_PATH = fileURLToPath(import.meta.url);
const EVERY_MS = 50;
const WARM_UP_REQUESTS = 20;
const GIVE_UP_AFTER_MS = 20_000;
const RETRY_FOR_MS = 2_500;

/** Lists animals every 50 ms from a separate process, so that the attack does not slow it down. */
export class HonestCaller {
  private readonly child: ChildProcess;

  // Node only strips types, so that parameter properties are not supported.
  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Resolves after the warm-up; the measurement begins then. */
  static async start(baseUrl: string, key: string): Promise<HonestCaller> {
    const child = fork(OWN_PATH, [baseUrl, key]);
    await once(child, 'message');
    return new HonestCaller(child);
  }

  /** Resolves when the last request is answered. */
  async end(): Promise<CallerResults> {
    const message = once(this.child, 'message');
    this.child.send('end');
    const [results] = (await message) as [CallerResults];
    return results;
  }
}

async function callHonestly(baseUrl: string, key: string): Promise<void> {
  process.on('disconnect', () => process.exit());
  const headers = { authorization: `Bearer ${key}` };
  const list = async (): Promise<string> => {
    try {
      const signal = AbortSignal.timeout(GIVE_UP_AFTER_MS);
      const answer = await fetch(`${baseUrl}/v1/pets`, { headers, signal });
      await answer.arrayBuffer();
      return String(answer.status);
    } catch (error) {
      return String(error);
    }
  };
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await list();
  process.send?.('warm');

  const over = new AbortController();
  process.on('message', () => over.abort());
  const results: CallerResults = { served: 0, longestMs: 0, failed: [] };
  while (!over.signal.aborted) {
    const begunMs = performance.now();
    let outcome = await list();
    // A caller that does as Retry-After says. The time counts.
    while (outcome === '503' && performance.now() - begunMs < RETRY_FOR_MS) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      outcome = await list();
    }
    const tookMs = performance.now() - begunMs;
    results.longestMs = Math.max(results.longestMs, Math.round(tookMs));
    if (outcome === '200') results.served += 1;
    else results.failed.push(outcome);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - tookMs)));
  }
  process.send?.(results, () => process.exit());
}

// The entry point of that process: Node runs this file.
if (process.argv[1] === OWN_PATH) await callHonestly(process.argv[2] ?? '', process.argv[3] ?? '');
