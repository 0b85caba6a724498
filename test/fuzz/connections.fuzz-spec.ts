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

describe('bare connections', () => {
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

  /** What is left of a worker's day, without spending any of it. */
  async function left({ secrets }: Worker): Promise<number> {
    const answer = await call(service.url, { path: '/v1/rate-limit', key: secrets.own });
    return Number(answer.headers['x-ratelimit-remaining']);
  }

  async function converse(worker: Worker, pieces: Conversation): Promise<void> {
    const text = pieces.join('').replaceAll('KEY', `Authorization: Bearer ${worker.secrets.own}\r\n`);
    const before = await left(worker);
    const { answers, isClosed } = await worker.converse(Buffer.from(text, 'latin1'));
    // A CONNECT closes its connection without an answer.
    if (answers.length === 0 && !text.includes('CONNECT '))
      throw new Error('the connection was closed without an answer');
    answers.forEach(checkAnswerOnConnection);
    const shown = answers.filter(({ headers }) => headers['x-ratelimit-limit'] === '900000').length;
    const charged = before - (await left(worker));
    // Where this side went first, an answer may have been on its way. A request whose transfer coding the parser does not
    // know has been handed over, and charged, by the time it is refused.
    const mayExceed = !isClosed
      ? Infinity
      : answers.at(-1)?.headers['x-ratelimit-limit'] === undefined
        ? 1
        : 0;
    if (charged < shown || charged > shown + mayExceed)
      throw new Error(`${charged} charged, and ${shown} answered with a charge`);
  }

  it(`${CONVERSATIONS} end as they should, whatever goes over them`, async () => {
    console.log(`seed ${SEED}, ${CONVERSATIONS} conversations; again with FUZZ_SEED=${SEED}`);
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
