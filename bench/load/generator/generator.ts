import { randomInt } from 'node:crypto';
import { Connection, type Call, type Outcome } from './connection.js';

export interface Job {
  port: number;
  connections: number;
  /** The time under load before the measurement, in which connections open and caches fill. */
  leadInMs: number;
  /** The lead-in lasts until this many requests are answered. */
  leadInCalls: number;
  durationMs: number;
}

export interface Figures {
  answered: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** The number of failures of each kind. */
  failures: Record<string, number>;
}

export type ToGenerator = { calls: Call[] } | { job: Job };
export type FromGenerator = 'began' | Figures;

/** The time for the last responses after the end of a round. */
const LAST_ANSWERS_MS = 5_000;

/*
 * Generates the load in a separate process. It uses HTTP on sockets, because an HTTP client would need as much time as the
 * fast systems, on the same cores, and hide the differences between them.
 */
let calls: Call[] = [];

process.on('message', (message: ToGenerator) => {
  if ('calls' in message) calls = message.calls;
  else void run(message.job).then((figures) => process.send?.(figures));
});

async function run(job: Job): Promise<Figures> {
  const latenciesMs: number[] = [];
  const failures: Record<string, number> = {};
  let isMeasuring = false;
  let heard = 0;
  const hear = ({ ms, failure }: Outcome) => {
    heard += 1;
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
    else if (isMeasuring) latenciesMs.push(ms);
  };
  // All connections share one sequence with a random start, so that they do not send the same calls.
  let next = randomInt(calls.length);
  const nextCall = () => calls[next++ % calls.length]!;
  const connections = Array.from({ length: job.connections }, () => new Connection(job.port, nextCall, hear));
  do {
    await pause(job.leadInMs);
  } while (heard < job.leadInCalls);
  isMeasuring = true;
  const begin = performance.now();
  process.send?.('began');
  await pause(job.durationMs);
  isMeasuring = false;
  const seconds = (performance.now() - begin) / 1000;
  const ends = connections.map((connection) => connection.finish());
  await Promise.race([Promise.all(ends), pause(LAST_ANSWERS_MS)]);
  for (const connection of connections) connection.giveUp();
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { answered: latenciesMs.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
