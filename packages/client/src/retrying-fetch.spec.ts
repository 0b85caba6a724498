import { describe, expect, it } from '@jest/globals';
import { ConnectionError } from './errors.js';
import { retryDelayMs, retryingFetch } from './retrying-fetch.js';
import { systemTimer } from './timer.js';
import { TurnedTimer } from '../test/turned-timer.js';

type Step = Response | Error | ((signal: AbortSignal) => Promise<Response>);

const answer = (status: number, headers?: HeadersInit, body: string | null = '{}') =>
  new Response(body, { status, ...(headers && { headers }) });

/** A fetch that follows a script, one step for each call, and records its calls. */
function scripted(steps: Step[], timer = new TurnedTimer(), maxRetries = 4) {
  const asked: { method: string; key: string | null; body: unknown }[] = [];
  const statuses: number[] = [];
  const send = retryingFetch({
    fetch: async (_url, init) => {
      asked.push({
        method: init!.method!,
        key: (init!.headers as Headers).get('idempotency-key'),
        body: init!.body,
      });
      const step = steps.shift()!;
      if (step instanceof Error) throw step;
      return typeof step === 'function' ? step(init!.signal!) : step;
    },
    maxRetries,
    maxRetryAfterMs: 60_000,
    timeoutMs: 1_000,
    timer,
    onAnswer: ({ status }) => statuses.push(status),
  });
  return { send, asked, statuses, timer };
}

const get = (signal?: AbortSignal) =>
  new Request('http://store.test/v1/pets?cursor=abc', { ...(signal && { signal }) });
const post = () =>
  new Request('http://store.test/v1/pets', {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'idempotency-key': 'k' },
  });
/** As createKey: its answer is shown once and never stored. */
const bareWrite = () => new Request('http://store.test/v1/keys', { method: 'POST', body: '{}' });
const untilAborted = (signal: AbortSignal) =>
  new Promise<Response>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );

describe('retryingFetch', () => {
  it.each([
    [429, { 'retry-after': '30' }, [30_375]],
    [503, { 'retry-after': '1' }, [1_375]],
    [503, {}, [375]],
    [502, {}, [375]],
    [504, { 'retry-after': '2' }, [2_375]],
    [409, { 'retry-after': '1' }, [1_375]],
  ])('repeats after %d %j', async (status, headers, waitsMs) => {
    const { send, timer, statuses } = scripted([answer(status, headers), answer(200)]);
    expect((await send(get())).status).toBe(200);
    expect(timer.waitsMs).toEqual(waitsMs);
    expect(statuses).toEqual([status, 200]);
  });

  it.each([200, 201, 304, 400, 401, 404, 409, 422, 500])('returns a %d without a retry', async (status) => {
    const { send, asked } = scripted([answer(status, {}, status === 304 ? null : '{}')]);
    expect((await send(get())).status).toBe(status);
    expect(asked).toHaveLength(1);
  });

  it('waits longer before each retry, and gives up after the given number of retries', async () => {
    const { send, timer, asked } = scripted(Array.from({ length: 5 }, () => answer(503)));
    expect((await send(get())).status).toBe(503);
    expect(asked).toHaveLength(5);
    expect(timer.waitsMs).toEqual([375, 750, 1_500, 3_000]);
  });

  it('does not retry with maxRetries 0', async () => {
    const { send, asked } = scripted([answer(429, { 'retry-after': '1' })], new TurnedTimer(), 0);
    expect((await send(get())).status).toBe(429);
    expect(asked).toHaveLength(1);
  });

  it('does not wait longer than the configured maximum', async () => {
    const { send, timer } = scripted([answer(429, { 'retry-after': '61' })]);
    expect((await send(get())).headers.get('retry-after')).toBe('61');
    expect(timer.waitsMs).toEqual([]);
  });

  it('repeats a POST without a complete response with the same key and body', async () => {
    const half = new Response(
      new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) }),
    );
    const { send, asked } = scripted([new TypeError('fetch failed'), half, answer(201, {}, '{"id":1}')]);
    expect(await (await send(post())).text()).toBe('{"id":1}');
    expect(asked).toEqual(Array.from({ length: 3 }, () => ({ method: 'POST', key: 'k', body: '{"a":1}' })));
  });

  it.each([502, 503, 504, 409])('repeats a POST with a key after %d, and none without', async (status) => {
    const refused = () => answer(status, { 'retry-after': '1' });
    const keyed = scripted([refused(), answer(201)]);
    expect((await keyed.send(post())).status).toBe(201);
    expect(keyed.asked).toEqual(
      Array.from({ length: 2 }, () => ({ method: 'POST', key: 'k', body: '{"a":1}' })),
    );
    const bare = scripted([refused()]);
    expect((await bare.send(bareWrite())).status).toBe(status);
    expect(bare.asked).toHaveLength(1);
  });

  it('repeats a POST without a key after 429 only, and does not hide that it may have been carried out', async () => {
    const { send, asked } = scripted([answer(429, { 'retry-after': '1' }), answer(201)]);
    expect((await send(bareWrite())).status).toBe(201);
    expect(asked).toHaveLength(2);
    const lost = scripted([new TypeError('fetch failed')]);
    await expect(lost.send(bareWrite())).rejects.toMatchObject({
      message: 'POST http://store.test/v1/keys: no answer in 1 attempt',
    });
  });

  it.each(['PATCH', 'DELETE'])('repeats %s after 502', async (method) => {
    const { send, asked } = scripted([answer(502), answer(200)]);
    expect((await send(new Request('http://store.test/v1/pets/1', { method }))).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('names the cause of the last failure, and leaves out the query', async () => {
    const cause = new TypeError('fetch failed');
    const { send } = scripted([cause, cause, cause], new TurnedTimer(), 2);
    const failure = await send(get()).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({
      message: 'GET http://store.test/v1/pets: no answer in 3 attempts',
      cause,
    });
  });

  it('aborts an attempt that takes too long, and retries', async () => {
    const timer = new TurnedTimer();
    const tooLong = (signal: AbortSignal) => {
      const answered = untilAborted(signal);
      timer.deadlines.at(-1)!.abort(new DOMException('too long', 'TimeoutError'));
      return answered;
    };
    const { send } = scripted([tooLong, answer(200), tooLong, tooLong], timer, 1);
    expect((await send(get())).status).toBe(200);
    await expect(send(get())).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: { name: 'TimeoutError' },
    });
  });

  it('can be cancelled during a request, and does not retry', async () => {
    const controller = new AbortController();
    const { send, asked } = scripted([
      (signal) => {
        const answered = untilAborted(signal);
        controller.abort(new Error('enough'));
        return answered;
      },
    ]);
    await expect(send(get(controller.signal))).rejects.toThrow('enough');
    expect(asked).toHaveLength(1);
  });

  it('can be cancelled before it begins', async () => {
    const { send, asked } = scripted([answer(200)]);
    await expect(send(get(AbortSignal.abort(new Error('never'))))).rejects.toThrow('never');
    expect(asked).toHaveLength(0);
  });
});

describe('retryDelayMs', () => {
  it('varies randomly by up to a half, and has a maximum', () => {
    expect([0, 0.999].map((random) => retryDelayMs(2, 0, random))).toEqual([1_000, 1_999]);
    expect(retryDelayMs(20, 0, 0.5)).toBe(22_500);
  });
});

describe('the system timer', () => {
  const aDayMs = 86_400_000;

  it('stops waiting at once when it is cancelled', async () => {
    const controller = new AbortController();
    const waiting = systemTimer.wait(aDayMs, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('does not wait when it was cancelled before', async () => {
    await expect(systemTimer.wait(aDayMs, AbortSignal.abort(new Error('never')))).rejects.toThrow('never');
  });
});
