import { onServer } from './database.js';
import { bearer } from './load/generator/calls.js';
import { GeneratorProcess } from './load/generator/generator-process.js';
import { FEW, measure } from './load/rounds.js';
import { makeSecrets } from './load/shop-data.js';
import { withSystems, type Servers, type System } from './load/systems.js';
import { callsOf } from './load/workloads.js';
import type { Row } from './report.js';
import { median } from './support.js';

const ROUNDS = 5;
const DURATION_MS = 5_000;
const WRITERS = 8;
const SEEN = 200;
const RATE_AT_LEAST = 0.85;
const VISIBLE_WITHIN_MS = 1_000;

/** What the feed costs: creations with the triggers that write events and without, and the time until a follower sees a creation. */
export function measureEvents(servers: Servers): Promise<Row[]> {
  const secrets = makeSecrets(100);
  return withSystems(servers, ['ours'], secrets, async ([ours]) => {
    const calls = callsOf('create', 'ours', secrets);
    const rate = async () => {
      const generator = new GeneratorProcess();
      const job = { connections: FEW, leadInMs: 500, durationMs: DURATION_MS };
      const { perSecond } = await measure(generator, ours!, calls, job).finally(() => generator.stop());
      return perSecond;
    };
    // The trigger of the counts stays: both sides count animals.
    const triggers = (state: 'enable' | 'disable') =>
      onServer(ours!.databaseUrl!, `alter table pets ${state} trigger pets_events_insert`);
    await rate();
    const rates: { withEvents: number; without: number }[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      console.error(`round ${round} of ${ROUNDS}`);
      await triggers('disable');
      const without = await rate();
      await triggers('enable');
      rates.push({ withEvents: await rate(), without });
    }
    const ratio = median(rates.map(({ withEvents, without }) => withEvents / without));

    const generator = new GeneratorProcess();
    const job = { connections: WRITERS, leadInMs: 0, durationMs: 600_000, leadInCalls: 0, port: ours!.port };
    // It ends with its process.
    void generator.run(calls, job, () => undefined);
    const seenMs = await timesUntilSeen(ours!, secrets.unlimited[0]!).finally(() => generator.stop());
    const p99Ms = seenMs.sort((a, b) => a - b)[Math.floor(seenMs.length * 0.99)]!;
    return [
      {
        what: 'creations a second with events : without',
        measured: `${median(rates.map((round) => round.withEvents)).toFixed(0)} : ${median(rates.map((round) => round.without)).toFixed(0)} = ${ratio.toFixed(2)}`,
        target: `≥ ${RATE_AT_LEAST}`,
        isMet: ratio >= RATE_AT_LEAST,
      },
      {
        what: `from the response of a creation until a follower has its event, beside ${WRITERS} writers: p50, p99`,
        measured: `${median(seenMs).toFixed(0)} ms, ${p99Ms.toFixed(0)} ms`,
        target: `≤ ${VISIBLE_WITHIN_MS} ms`,
        isMet: p99Ms <= VISIBLE_WITHIN_MS,
      },
    ];
  });
}

/** Follows the feed without a pause, and creates an animal of its own whenever it has seen the last one. */
async function timesUntilSeen({ port }: System, secret: string): Promise<number[]> {
  const headers = { ...bearer(secret), 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const events = async (query: string) => {
    const answer = await call(`/v1/events?limit=100&${query}`);
    return { text: await answer.text(), cursor: answer.headers.get('x-next-cursor')! };
  };
  let { cursor } = await events('cursor=latest');
  const times: number[] = [];
  for (let index = 0; index < SEEN; index += 1) {
    const name = `seen ${index}`;
    await call('/v1/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 1 }) });
    const createdAtMs = performance.now();
    for (let isSeen = false; !isSeen;) {
      const page = await events(`cursor=${cursor}`);
      cursor = page.cursor;
      isSeen = page.text.includes(`"name":"${name}"`);
    }
    times.push(performance.now() - createdAtMs);
  }
  return times;
}
