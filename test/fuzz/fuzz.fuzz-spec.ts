import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanUp } from '../support/clean-up.js';
import { type Answer } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { residentMb } from '../support/tools/resident-mb.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { abusiveRequest } from './arbitraries.js';
import { conversation, SMUGGLED, type Conversation } from './conversations.js';
import { checkErrorBody } from './invariants.js';
import { KEY_LIMITS } from './ledger.js';
import { REGRESSION_CONVERSATIONS, REGRESSIONS } from './regressions.js';
import { Worker } from './worker.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 100_000);
const CONVERSATIONS = Number(process.env.FUZZ_CONVERSATIONS ?? 4_000);
/** Every run prints its seed. The same seed generates the same requests. */
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const WORKERS = 24;
const MAX_FAILURES = 3;
/** Unbounded growth exhausts this heap on any machine. */
const MAX_HEAP_MIB = 192;
const MAX_RESIDENT_MB = 400;

describe('the service', () => {
  let service: Service;
  let workers: Worker[];
  let socketsAtFirst: number;

  beforeAll(async () => {
    console.log(`${REQUESTS} requests, ${CONVERSATIONS} conversations; repeat with FUZZ_SEED=${SEED}`);
    const database = await anyKind.create();
    // Counted in memory, because one late response of Redis would make the counts inexact.
    const heap = `--max-old-space-size=${MAX_HEAP_MIB}`;
    // No demo key is printed in production.
    service = await Service.start({ ...database.env, NODE_ENV: 'production', NODE_OPTIONS: heap });
    socketsAtFirst = openSockets(service.pid);
    const own = await issueKeys(database, WORKERS, KEY_LIMITS);
    const readers = await issueKeys(database, WORKERS, { ...KEY_LIMITS, access: 'read' });
    workers = own.map(({ key }, at) => new Worker(service.url, at, { own: key, reader: readers[at]!.key }));
  });
  afterAll(async () => {
    for (const worker of workers) worker.connection.close();
    await cleanUp();
  });

  /** Sends generated values from all workers in parallel, each with its own seed. */
  async function expectNoFailure<Value>(
    count: number,
    value: fc.Arbitrary<Value>,
    regressions: Value[],
    send: (worker: Worker, value: Value) => Promise<void>,
  ): Promise<void> {
    const numRuns = Math.ceil(count / WORKERS) + regressions.length;
    const examples = regressions.map((each): [Value] => [each]);
    const runs = await Promise.allSettled(
      workers.map((worker, at) => {
        const property = fc.asyncProperty(value, (each) => send(worker, each));
        return fc.assert(property, { seed: SEED + at, numRuns, examples });
      }),
    );
    const errors = runs.flatMap((run) => (run.status === 'rejected' ? [run.reason as Error] : []));
    // The problem of the response, then the seed, the path and the smallest request, as fast-check reports them.
    const failures = errors.map(
      ({ message, cause }) => `${(cause as Error | undefined)?.message}\n${message}`,
    );
    expect(failures.slice(0, MAX_FAILURES)).toEqual([]);
    expect(service.hasEnded).toBe(false);
    expect((await service.call({ path: '/health/ready' })).status).toBe(200);
  }

  it(`answers ${REQUESTS} random requests correctly and keeps running`, async () => {
    let peakMb = 0;
    const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(service.pid))), 500);
    const send = (worker: Worker, request: Parameters<Worker['send']>[0]) => worker.send(request);
    await expectNoFailure(REQUESTS, abusiveRequest, REGRESSIONS, send).finally(() => clearInterval(watch));
    expect(peakMb).toBeLessThan(MAX_RESIDENT_MB);
  }, 900_000);

  it('records exactly the usage that the responses show', async () => {
    for (const { secrets, ledger } of workers) {
      // This request is counted too, and its own response may or may not include it.
      let spent = ledger.charged.own;
      const admitted = await until(async () => {
        spent += 1;
        const { body } = await service.call({ path: '/v1/usage?days=2', key: secrets.own });
        const sum = (body as { admitted: bigint }[]).reduce((total, day) => total + Number(day.admitted), 0);
        return sum >= spent - 1 && sum;
      });
      expect(admitted).toBeLessThanOrEqual(spent);
    }
  });

  it(`answers ${CONVERSATIONS} connections with random bytes correctly and keeps running`, async () => {
    await expectNoFailure(CONVERSATIONS, conversation, REGRESSION_CONVERSATIONS, converse);
  }, 900_000);

  /** The remaining requests of a worker's day, from a request that is free. */
  async function left({ secrets }: Worker): Promise<number> {
    const answer = await service.call({ path: '/v1/rate-limit', key: secrets.own });
    return Number(answer.headers['x-ratelimit-remaining']);
  }

  async function converse(worker: Worker, pieces: Conversation): Promise<void> {
    const text = pieces.join('').replaceAll('KEY', `Authorization: Bearer ${worker.secrets.own}\r\n`);
    const before = await left(worker);
    const { answers, isClosed } = await worker.connection.converse(Buffer.from(text, 'latin1'));
    // The service closes the connection of a CONNECT without a response.
    if (answers.length === 0 && !text.includes('CONNECT '))
      throw new Error('the connection was closed without a response');
    answers.forEach(checkAnswerOnConnection);
    const limit = String(KEY_LIMITS.perDay);
    const shown = answers.filter(({ headers }) => headers['x-ratelimit-limit'] === limit).length;
    const charged = before - (await left(worker));
    // If this side closed first, a response may have been in transit. A request with a transfer coding that the parser does not
    // know has already been dispatched and counted when it is refused.
    const isRefused = answers.at(-1)?.headers['x-ratelimit-limit'] === undefined;
    const mayExceed = !isClosed ? Infinity : isRefused ? 1 : 0;
    if (charged < shown || charged > shown + mayExceed)
      throw new Error(`${charged} requests counted, but ${shown} responses show a count`);
  }

  it('logs no key and no control character', () => {
    const { stdout, stderr, log } = service;
    for (const { secrets } of workers) {
      for (const key of [secrets.own, secrets.reader]) expect(stdout.includes(key.slice(4))).toBe(false);
    }
    expect(stderr).toBe('');
    expect(log.filter(holdsControlCharacters)).toEqual([]);
    expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  it('closes the connections of disconnected callers', async () => {
    for (const worker of workers) worker.connection.close();
    await until(() => openSockets(service.pid) < socketsAtFirst + WORKERS);
  });
});

/** The number of its sockets, because the embedded database opens files. */
function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd/`;
  return readdirSync(folder).filter((name) => isSocket(folder + name)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // It was closed meanwhile.
    return false;
  }
}

function holdsControlCharacters(line: Record<string, unknown>): boolean {
  return Object.values(line).some((value) => typeof value === 'string' && /\p{Cc}/u.test(value));
}

function checkAnswerOnConnection(answer: Answer): void {
  const { status, headers, text } = answer;
  if (status >= 500) throw new Error(`status ${status}: ${text}`);
  if (headers['x-request-id'] === SMUGGLED) throw new Error(`the body of a request was answered: ${text}`);
  if (status >= 400) checkErrorBody(answer);
}
