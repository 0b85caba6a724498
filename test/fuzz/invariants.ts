import { parseJson } from '../../src/platform/common/json.js';
import type { Answer } from '../support/http/client.js';
import { checkAgainstDocument } from '../support/http/document.js';
import { bodyBytesOf, hasOwnId, type FuzzRequest, type Secrets } from './request.js';

/** Internals that no message may include: a stack, a file, SQL. */
const INTERNALS =
  /\n\s+at |node_modules|\.[cm]?[jt]s:\d|\/dist\/|\/src\/|select .* from |insert into|relation "/i;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Checks the invariants of every response. @throws Error for a violation */
export function checkAnswer(answer: Answer, request: FuzzRequest, secrets: Secrets, requestId: string): void {
  const { status, headers, text } = answer;
  expect(status < 500, `status ${status}: ${text}`);
  expect(
    status >= 200 && (status < 300 || status >= 400 || [302, 304, 308].includes(status)),
    `status ${status}`,
  );
  checkAgainstDocument(request.method, request.target, answer);
  const { 'x-request-id': shownId } = headers;
  const mayBeFresh = hasOwnId(request) || isRefusedByParser(answer);
  expect(
    mayBeFresh || shownId === requestId,
    `the response to ${String(shownId)} arrived for ${requestId}: ${status} ${text}`,
  );
  if (status >= 400) checkError(answer, request, secrets);
  if (status === 201 && request.method === 'POST' && text.includes('"name"')) checkPet(answer, request);
}

/** The parser refuses a request before it is dispatched, so that the response has a new id and nothing is counted. */
export function isRefusedByParser({ status, headers }: Answer): boolean {
  return status === 431 && !('x-ratelimit-limit' in headers);
}

function checkError(answer: Answer, { method }: FuzzRequest, { own, reader }: Secrets): void {
  if (method !== 'HEAD') checkErrorBody(answer);
  for (const key of [own, reader]) expect(!answer.text.includes(key.slice(4)), 'the message repeats the key');
}

/** Checks the body of an error from any part of the service. */
export function checkErrorBody({ status, headers, text }: Answer): void {
  expect(headers['content-type'] === 'application/json; charset=utf-8', 'the error is not JSON');
  const body = JSON.parse(text) as { code: string; message: string; status: number };
  expect(Object.keys(body).sort().join() === 'code,message,status', 'the error has other fields');
  expect(body.status === status, 'the error has another status');
  expect(!INTERNALS.test(body.message), 'the message shows internals');
  expect(!UNPRINTABLE.test(body.message), `the message is not printable: ${JSON.stringify(body.message)}`);
}

/** Checks that the created pet has exactly the requested values. */
function checkPet({ body }: Answer, request: FuzzRequest): void {
  const requested = parseJson(bodyBytesOf(request)) as { name: string; categoryId: bigint; status?: string };
  const { name, categoryId, status } = body as typeof requested;
  expect(name === requested.name, `the name became ${JSON.stringify(name)}`);
  expect(categoryId === requested.categoryId, `categoryId became ${categoryId}`);
  expect(status === (requested.status ?? 'available'), `the status became ${String(status)}`);
}

/** A plain check, because the one of Jest takes longer than the request. */
function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}
