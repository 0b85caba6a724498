import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { call, type Answer } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { issueKeys } from '../support/keys.js';
import { Service } from '../support/service.js';
import { conversation, SMUGGLED, type Conversation } from './conversations.js';
import { checkErrorBody } from './invariants.js';
import { REGRESSION_CONVERSATIONS } from './regressions.js';
import { failuresOf, KEY_LIMITS, SEED } from './runs.js';
import { Worker } from './worker.js';

const CONVERSATIONS = Number(process.env.FUZZ_CONVERSATIONS ?? 4_000);
const WORKERS = 24;

describe('the service under fuzzed bytes', () => {
  let database: TestDatabase;
  let service: Service;
  let workers: Worker[];

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    service = await Service.start(database.env);
    const keys = await issueKeys(database, WORKERS, KEY_LIMITS);
    workers = keys.map(({ key: own }, at) => new Worker(service.url, at, { own, reader: own }));
  });
  afterAll(async () => {
    for (const worker of workers) worker.close();
    await service.stop();
    await database.drop();
  });

  /** The remaining requests of a worker's day, from a request that is free. */
  async function left({ secrets }: Worker): Promise<number> {
    const answer = await call(service.url, { path: '/v1/rate-limit', key: secrets.own });
    return Number(answer.headers['x-ratelimit-remaining']);
  }

  async function converse(worker: Worker, pieces: Conversation): Promise<void> {
    const text = pieces.join('').replaceAll('KEY', `Authorization: Bearer ${worker.secrets.own}\r\n`);
    const before = await left(worker);
    const { answers, isClosed } = await worker.converse(Buffer.from(text, 'latin1'));
    // The service closes the connection of a CONNECT without a response.
    if (answers.length === 0 && !text.includes('CONNECT '))
      throw new Error('the connection was closed without a response');
    answers.forEach(checkAnswerOnConnection);
    const shown = answers.filter(({ headers }) => headers['x-ratelimit-limit'] === '900000').length;
    const charged = before - (await left(worker));
    // If this side closed first, a response may have been in transit. A request with a transfer coding that the parser does not
    // know has already been dispatched and counted when it is refused.
    const mayExceed = !isClosed
      ? Infinity
      : answers.at(-1)?.headers['x-ratelimit-limit'] === undefined
        ? 1
        : 0;
    if (charged < shown || charged > shown + mayExceed)
      throw new Error(`${charged} requests counted, but ${shown} responses show a count`);
  }

  it(`answers ${CONVERSATIONS} random connections correctly and keeps running`, async () => {
    console.log(`seed ${SEED}, ${CONVERSATIONS} conversations; repeat with FUZZ_SEED=${SEED}`);
    const failures = await failuresOf(workers, (worker, seed) =>
      fc.assert(
        fc.asyncProperty(conversation, (pieces) => converse(worker, pieces)),
        {
          seed,
          numRuns: Math.ceil(CONVERSATIONS / WORKERS),
          examples: REGRESSION_CONVERSATIONS.map((pieces) => [pieces]),
        },
      ),
    );
    expect(failures).toEqual([]);
    expect(service.exitCode).toBeNull();
    expect((await call(service.url, { path: '/health/ready' })).status).toBe(200);
    expect(service.stderr).toBe('');
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  }, 900_000);
});

function checkAnswerOnConnection(answer: Answer): void {
  const { status, headers, text } = answer;
  if (status >= 500) throw new Error(`status ${status}: ${text}`);
  if (headers['x-request-id'] === SMUGGLED) throw new Error(`the body of a request was answered: ${text}`);
  if (status >= 400) checkErrorBody(answer);
}
