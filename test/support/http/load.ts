import { Agent } from 'node:http';
import { callUnchecked, type Answer } from './client.js';
import { atOnce } from '../until.js';

/** The outcome of one request. Status 0: the connection ended without a response. */
export interface Sample {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

export interface Load {
  path: string;
  key?: string | undefined;
  /** Each connection sends its next request as soon as it has the response to the last. */
  connections: number;
  forMs: number;
}

const BROKEN: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} };

/** Puts load on a service. A request whose connection ends is recorded with the status 0. */
export async function putLoad(baseUrl: string, { path, key, connections, forMs }: Load): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true });
  const ask = (asked: string) => callUnchecked(baseUrl, { path: asked, key }, agent).catch(() => BROKEN);
  // Every connection is open when the load begins.
  await atOnce(connections, () => ask('/health/live'));
  const endMs = performance.now() + forMs;
  const samples: Sample[] = [];
  await atOnce(connections, async () => {
    while (performance.now() < endMs) {
      const sentAtMs = performance.now();
      const { status, headers } = await ask(path);
      samples.push({ status, ms: performance.now() - sentAtMs, retryAfter: headers['retry-after'] });
    }
  });
  agent.destroy();
  return samples;
}

/** A percentile of the response times, in whole milliseconds. */
export function percentileMs(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

/** The number of responses of each status. */
export function statusesOf(samples: readonly { status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of samples) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
