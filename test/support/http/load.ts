import { Agent } from 'node:http';
import { atOnce } from '../until.js';
import { callUnchecked } from './client.js';

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

/** Puts load on a service. It begins when every connection has been accepted. */
export async function putLoad(baseUrl: string, { path, key, connections, forMs }: Load): Promise<Sample[]> {
  const samples: Sample[] = [];
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  await Promise.all(agents.map((agent) => callUnchecked(baseUrl, { path: '/health/live' }, agent)));
  const endMs = performance.now() + forMs;
  await atOnce(connections, async (at) => {
    for (let sentAtMs = performance.now(); sentAtMs < endMs; sentAtMs = performance.now()) {
      const answer = await callUnchecked(baseUrl, { path, key }, agents[at]).catch(() => undefined);
      const retryAfter = answer?.headers['retry-after'];
      samples.push({ status: answer?.status ?? 0, ms: performance.now() - sentAtMs, retryAfter });
    }
    agents[at]!.destroy();
  });
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
