import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

/** What an honest caller meets. `failed`: everything but a 200, in its own words. */
export interface Treatment {
  served: number;
  longestMs: number;
  failed: string[];
}

const OWN_PATH = fileURLToPath(import.meta.url);
const EVERY_MS = 50;
const WARM_UP_REQUESTS = 20;
const GIVE_UP_AFTER_MS = 20_000;

/** Lists animals on a connection of its own every 50 ms, in a process of its own: the attack costs it no time. */
export class HonestCaller {
  private readonly child: ChildProcess;

  // Node strips types and nothing else: it takes no parameter properties.
  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Resolves when the service is warm; the figures begin then. */
  static async start(baseUrl: string, key: string): Promise<HonestCaller> {
    const child = fork(OWN_PATH, [baseUrl, key]);
    await once(child, 'message');
    return new HonestCaller(child);
  }

  /** Resolves when the last request is answered. */
  async end(): Promise<Treatment> {
    const message = once(this.child, 'message');
    this.child.send('end');
    const [treatment] = (await message) as [Treatment];
    return treatment;
  }
}

async function callHonestly(baseUrl: string, key: string): Promise<void> {
  process.on('disconnect', () => process.exit());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { agent, headers: { authorization: `Bearer ${key}` }, timeout: GIVE_UP_AFTER_MS };
  const list = () =>
    new Promise<string>((resolve) => {
      const outgoing = request(`${baseUrl}/v1/pets`, options, (incoming) => {
        incoming.resume();
        incoming.on('error', (error) => resolve(error.message));
        incoming.on('end', () => resolve(String(incoming.statusCode)));
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', (error) => resolve(error.message));
      outgoing.end();
    });
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await list();
  process.send?.('warm');

  const over = new AbortController();
  process.on('message', () => over.abort());
  const treatment: Treatment = { served: 0, longestMs: 0, failed: [] };
  while (!over.signal.aborted) {
    const begunMs = performance.now();
    const outcome = await list();
    const tookMs = performance.now() - begunMs;
    treatment.longestMs = Math.max(treatment.longestMs, Math.round(tookMs));
    if (outcome === '200') treatment.served += 1;
    else treatment.failed.push(outcome);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - tookMs)));
  }
  process.send?.(treatment, () => process.exit());
}

// As that process: Node runs this file as it is.
if (process.argv[1] === OWN_PATH) await callHonestly(process.argv[2] ?? '', process.argv[3] ?? '');
